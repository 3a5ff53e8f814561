const DAYS: Readonly<Record<string, string>> = {
  ...{ MO: 'Mon', TU: 'Tue', WE: 'Wed', TH: 'Thu', FR: 'Fri', SA: 'Sat', SU: 'Sun' },
};
const UNITS: Readonly<Record<string, string>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };

/** Formats work in minutes: `45 min`, `2 h`, `12 h 30 min`. A day of work has no fixed length, so hours are the largest unit. */
export function formatWork(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/**
 * Describes a recurrence rule of RFC 5545: `every week on Tue and Thu, 12 times`. A rule with other parts than those that plans usually have is returned
 * as it is.
 */
export function describeRecurrence(rule: string): string {
  const parts = new Map(rule.split(';').map((part) => part.split('=', 2) as [string, string]));
  const known = ['FREQ', 'INTERVAL', 'BYDAY', 'COUNT', 'UNTIL', 'WKST'];
  const unit = UNITS[parts.get('FREQ') ?? ''];
  const days = (parts.get('BYDAY') ?? '').split(',').filter((day) => day !== '');
  if (unit === undefined || [...parts.keys()].some((name) => !known.includes(name))) return rule;
  if (days.some((day) => DAYS[day] === undefined)) return rule;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const count = parts.get('COUNT');
  const until = /^(\d{4})(\d\d)(\d\d)/.exec(parts.get('UNTIL') ?? '');
  return [
    interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`,
    days.length === 0 ? '' : ` on ${joinWords(days.map((day) => DAYS[day]!))}`,
    count === undefined ? '' : `, ${count} times`,
    until === null ? '' : `, until ${until[1]}-${until[2]}-${until[3]}`,
  ].join('');
}

/** Formats a period on the wall of a zone: `Mon 4 Jan 2027, 09:00 – 10:30`, or with both days if it ends on another one. */
export function formatPeriod(start: string, end: string, zone: string): string {
  const from = readWall(start, zone);
  const to = readWall(end, zone);
  return from.day === to.day
    ? `${from.day}, ${from.time} – ${to.time}`
    : `${from.day}, ${from.time} – ${to.day}, ${to.time}`;
}

function readWall(instant: string, zone: string): { readonly day: string; readonly time: string } {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return { day: instant, time: '' };
  const format = createFormat(zone);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const get = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
  return {
    day: `${get('weekday')} ${get('day')} ${get('month')} ${get('year')}`,
    time: `${get('hour')}:${get('minute')}`,
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The formats of Intl are slow to create. A zone that this browser does not know is shown in UTC. */
function createFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const options: Intl.DateTimeFormatOptions = {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    hourCycle: 'h23',
  };
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
  } catch {
    format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  }
  formats.set(zone, format);
  return format;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
