/** Formats of quantities for people. They do not depend on the locale, so that output can be compared. */

/** Formats a count: `999`, `12.3k`, `4.56M`. */
export function formatCount(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 999_500) return `${formatThreeDigits(count / 1_000)}k`;
  return `${formatThreeDigits(count / 1_000_000)}M`;
}

/** Formats micro-USD as dollars, with more digits for amounts below one dollar and below one cent. */
export function formatUsd(costMicroUsd: number): string {
  const dollars = costMicroUsd / 1_000_000;
  if (costMicroUsd === 0) return '$0.00';
  if (dollars < 0.01) return `$${dollars.toFixed(6).replace(/0{1,2}$/, '')}`;
  return dollars < 1 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

/** Formats a duration: `0:07`, `12:30`, `1:02:03`. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const pad = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${pad(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}

/** Formats a duration in its largest unit: `340 ms`, `12 s`, `5 min`, `3 h`, `12 d`. */
export function formatAge(milliseconds: number): string {
  const units: readonly [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ];
  for (const [size, name] of units) if (milliseconds >= size) return `${Math.floor(milliseconds / size)} ${name}`;
  return `${Math.max(0, Math.round(milliseconds))} ms`;
}

/** Formats a number of bytes: `512 B`, `1.5 KiB`, `12 MiB`. */
export function formatBytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = count / 1_024;
  let unit = 0;
  for (; value >= 1_023.5 && unit < units.length - 1; unit += 1) value /= 1_024;
  return `${formatThreeDigits(value)} ${units[unit]}`;
}

/** Formats a number with its noun: `1 requirement`, `2 requirements`. */
export function pluralise(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

function formatThreeDigits(value: number): string {
  const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return value
    .toFixed(digits)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}
