/** How benchmarks name the lanes of a step. */
export const LANE_TITLES = { inline: 'inline', file: 'inline, with a file', remote: 'remote' };
