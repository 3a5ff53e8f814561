import { formatDuration } from '../ui/format.js';
import { DateTime, useNow } from '../ui/time.js';

/** Below this time in milliseconds, a deadline is marked as near. */
const NEAR_MS = 15 * 60_000;

/** When an entry stops waiting, and how long that is from now. */
export function Deadline({ at }: { readonly at: string }) {
  const left = Date.parse(at) - useNow();
  if (left <= 0)
    return (
      <span className="tone-bad">
        ! passed, <DateTime at={at} />
      </span>
    );
  const text = formatDuration(Math.floor(left / 1_000) * 1_000).replace(/\.\d/, '');
  return (
    <span className={left < NEAR_MS ? 'tone-warn' : undefined}>
      {left < NEAR_MS ? '! ' : ''}in {text}, <DateTime at={at} />
    </span>
  );
}
