const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const WEEKDAY = '(?:MO|TU|WE|TH|FR|SA|SU)';
const list = (item: string): RegExp => new RegExp(`^${item}(?:,${item})*$`);

/** Values of the parts of a rule that plans use. Seconds, minutes and hours come from the placement of the task. */
const partPatterns: Readonly<Record<string, RegExp>> = {
  FREQ: new RegExp(`^(?:${frequencies.join('|')})$`),
  INTERVAL: /^[1-9]\d{0,3}$/,
  COUNT: /^[1-9]\d{0,4}$/,
  UNTIL: /^\d{8}(?:T\d{6}Z?)?$/,
  BYDAY: list(`(?:[+-]?[1-9]\\d?)?${WEEKDAY}`),
  BYMONTHDAY: list('[+-]?[1-9]\\d?'),
  BYMONTH: list('(?:[1-9]|1[0-2])'),
  BYSETPOS: list('[+-]?[1-9]\\d{0,2}'),
  BYWEEKNO: list('[+-]?[1-9]\\d?'),
  BYYEARDAY: list('[+-]?[1-9]\\d{0,2}'),
  WKST: new RegExp(`^${WEEKDAY}$`),
};

/** Returns what is wrong in the text of a recurrence rule of RFC 5545; `undefined` if it is well-formed. */
export function findRecurrenceProblem(rule: string): string | undefined {
  const parts = rule.split(';').map((part) => part.split('='));
  const names = parts.map(([name]) => name!);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) return `${repeated} occurs more than once`;
  if (!names.includes('FREQ')) return `FREQ is missing; expected one of ${frequencies.join(', ')}`;
  for (const [name = '', value = '', ...others] of parts) {
    const pattern = Object.hasOwn(partPatterns, name) ? partPatterns[name] : undefined;
    if (pattern === undefined)
      return `${name || 'an empty part'} is no part of a rule; known: ${Object.keys(partPatterns).join(', ')}`;
    if (others.length > 0 || !pattern.test(value)) return `${name} cannot be '${value}'`;
  }
  return names.includes('COUNT') && names.includes('UNTIL') ? 'COUNT and UNTIL exclude each other' : undefined;
}

/** Whether a well-formed rule ends. */
export function hasRecurrenceEnd(rule: string): boolean {
  return /(?:^|;)(?:COUNT|UNTIL)=/.test(rule);
}

/** Returns the rule with an end: the last second of a day (YYYY-MM-DD) in UTC, as RFC 5545 requires of rules with a zone. */
export function endRecurrenceOn(rule: string, day: string): string {
  return `${rule};UNTIL=${day.replaceAll('-', '')}T235959Z`;
}
