/**
 * Version of this release's fold: sixteen hex digits of a hash over the shapes of all events and the sources of the fold. A snapshot made
 * by another fold is never read, so a release with a changed fold starts without snapshots. Written by fold-version.unit.spec.ts (run it
 * with -u when they change), because computing it would take every service half a second at its start.
 */
export const foldVersion = 'd7e852cc9656fc6c';
