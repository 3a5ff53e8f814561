import type { Location } from './requirement/candidate.js';

/** Describes a location in words, such as `lines 12–14` or `page 3`. */
export function describeLocation(location: Location): string {
  const [name, place] = Object.entries(location)[0] ?? ['lines', { from: 1, to: 1 }];
  return place.from === place.to ? `${name.slice(0, -1)} ${place.from}` : `${name} ${place.from}–${place.to}`;
}
