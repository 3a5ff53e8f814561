import type { SeededRandom } from '@phaseline/harness';

const SUBJECTS = [
  ['backup copies', 'tested'],
  ['access requests', 'answered'],
  ['signing keys', 'rotated'],
  ['audit records', 'exported'],
  ['lost devices', 'reported'],
  ['customer complaints', 'registered'],
  ['security updates', 'installed'],
  ['delivery notes', 'archived'],
  ['supplier contracts', 'reviewed'],
  ['temporary accounts', 'disabled'],
  ['incident reports', 'published'],
  ['calibration certificates', 'renewed'],
] as const;
const TEAMS = ['Berlin', 'Lisbon', 'Oslo', 'Vienna', 'Ghent', 'Turin'];
const REMARKS = [
  'In practice a reminder for {subject} belongs in the calendar of the team, with a deputy for holidays.',
  'The work on {subject} needs an owner and a weekly look at the list of open cases.',
  'Without a queue of their own, {subject} get lost between two shifts, so one is needed.',
  'A monthly sample of {subject} shows early whether the deadline can still be kept.',
  'Training should explain why {subject} matter, because the deadline is easily forgotten.',
  'The deadline for {subject} can only be kept if the tool records when the time begins.',
];

export interface Sentence {
  readonly quote: string;
  readonly days: number;
  readonly subject: string;
}

/** Generates different sentences that oblige, each with a deadline. */
export function generateObligations(random: SeededRandom, count: number): readonly Sentence[] {
  const subjects = [...SUBJECTS];
  return Array.from({ length: count }, () => {
    const [[subject, verb]] = subjects.splice(random.between(0, subjects.length - 1), 1) as [(typeof SUBJECTS)[number]];
    const days = random.between(2, 400);
    return { subject, days, quote: `In ${random.pick(TEAMS)}, all ${subject} must be ${verb} within ${days} days.` };
  });
}

/** Generates a sentence that demands nothing. */
export function generateDescription(random: SeededRandom): string {
  const [subject] = random.pick(SUBJECTS);
  return `The rules on ${subject} were first written in ${random.between(1990, 2024)} by the team in ${random.pick(TEAMS)}.`;
}

/** A remark on a sentence; neighbours get different ones. */
export const writeRemark = ({ subject }: Pick<Sentence, 'subject'>, index: number): string =>
  REMARKS[index % REMARKS.length]!.replace('{subject}', subject);
