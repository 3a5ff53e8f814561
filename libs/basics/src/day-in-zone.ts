const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the calendar day of a time in a zone, such as `2026-11-28` in `Europe/Berlin`. Throws RangeError for an unknown zone. */
export function getDayInZone(time: Date, zone: string): string {
  let format = formats.get(zone);
  if (!format) {
    // Swedish dates are written as in ISO 8601.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    formats.set(zone, format);
  }
  return format.format(time);
}

export function isTimeZone(zone: string): boolean {
  try {
    getDayInZone(new Date(0), zone);
    return true;
  } catch {
    return false;
  }
}
