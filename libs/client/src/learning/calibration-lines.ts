import type { CalibrationGroup } from './calibration.js';

/** A line of the report for people: the drafts of an agent and a model in one band of confidence, or all of them. */
export interface CalibrationLine extends Omit<CalibrationGroup, 'bands'> {
  /** Such as `0.7 to 0.85`, or `all`. */
  readonly band: string;
}

/** Lists one line per band, and one for all bands together. */
export function listCalibrationLines({ agent, model, bands, ...all }: CalibrationGroup): readonly CalibrationLine[] {
  return [
    ...bands.map(({ from, to, ...band }) => ({ agent, model, ...band, band: `${from} to ${to}` })),
    { agent, model, ...all, band: 'all' },
  ];
}

/** Formats a mean confidence or a share of drafts; `–` if there is none. */
export function formatShare(value: number | null): string {
  return value === null ? '–' : value.toFixed(2);
}

/** Formats the over-confidence, such as `+0.21`. */
export function formatOverConfidence({ overConfidence }: Pick<CalibrationLine, 'overConfidence'>): string {
  return overConfidence === null ? '–' : formatSigned(overConfidence);
}

/** Formats the interval of the over-confidence, such as `(+0.15 to +0.27)`; empty if there is none. */
export function formatInterval({ interval }: Pick<CalibrationLine, 'interval'>): string {
  return interval === null ? '' : `(${formatSigned(interval[0])} to ${formatSigned(interval[1])})`;
}

function formatSigned(value: number): string {
  const text = value.toFixed(2);
  return value < 0 || text === '0.00' ? text : `+${text}`;
}
