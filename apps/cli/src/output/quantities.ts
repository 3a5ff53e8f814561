/** Formats of quantities for people, which the dashboard uses too. */
export { formatAge, formatBytes, formatClock, formatCount, formatUsd, pluralise } from '@phaseline/client';
