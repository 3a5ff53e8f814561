import type { Location } from './requirement/candidate.js';

/** `lines 12–14`, `page 3`. */
export function describeLocation(location: Location): string {
  const [name, place] = Object.entries(location)[0] ?? ['lines', { from: 1, to: 1 }];
  return place.from === place.to ? `${name.slice(0, -1)} ${place.from}` : `${name} ${place.from}–${place.to}`;
}
