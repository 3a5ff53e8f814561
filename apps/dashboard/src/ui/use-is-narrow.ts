import { useSyncExternalStore } from 'react';

/** Width below which secondary columns are hidden; the same as in the style sheets. */
const narrow = window.matchMedia('(max-width: 720px)');

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** Returns whether the window is narrow, such as on a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
