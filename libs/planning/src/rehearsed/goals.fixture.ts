import { SeededRandom } from '@phaseline/testing';

/** Goals of a person, written by hand, with the patterns that fit them. */
export const writtenGoals: readonly (readonly [goal: string, ...patterns: string[]])[] = [
  [
    'half marathon in twelve weeks, three evenings a week',
    'hybrid_project_cycle',
    'recurring_cycle',
    'progressive_accumulation_arc',
  ],
  ['Prepare for a half marathon in twelve weeks, three evenings a week', 'hybrid_project_cycle'],
  ['Learn Spanish, 30 minutes a day for 6 months', 'hybrid_project_cycle'],
  ['Organise a street festival by 14 March 2027', 'milestone_project'],
  ['Write a 400 page book in 3 days with 1 hour a day', 'milestone_project'],
  ['Renovate the kitchen on weekends', 'milestone_project'],
  ['Help me plan my wedding for 80 guests by the end of August', 'milestone_project'],
  ['Launch an online shop in 10 weeks, starting next Monday', 'milestone_project'],
  ['Paint three rooms in two weekends', 'milestone_project'],
  ['Get the tax return ready by tomorrow', 'milestone_project'],
  ['Meditate every morning at 6:30 am for 20 minutes', 'recurring_cycle'],
  ['Build a daily morning routine with stretching, reading and tea', 'recurring_cycle'],
  ['Clean the house every other Saturday', 'recurring_cycle'],
  ['Review the budget twice a month', 'recurring_cycle'],
  ['Stretch for ten minutes every morning for the next eight weeks', 'recurring_cycle'],
  ['Stretch ten minutes a day for eight weeks', 'recurring_cycle'],
  ['Water the plants every 3 days', 'recurring_cycle'],
  ['Team retrospective on the first Friday of every month', 'recurring_cycle'],
  ['Call my grandmother every Sunday afternoon', 'recurring_cycle'],
  ['Swim twice a week after work', 'recurring_cycle'],
  ['Take vitamins twice a day', 'recurring_cycle'],
  ['Practise vocabulary, 10 minutes a day', 'recurring_cycle'],
  ['A weekly backup protocol for our servers', 'recurring_cycle'],
  ['Publish 2 blog posts a week until the end of next year', 'recurring_cycle'],
  ['Save 6,000 euros within a year', 'progressive_accumulation_arc'],
  ['Save 200 euros a month for two years', 'progressive_accumulation_arc'],
  ['Read 24 books next year, 40 minutes a day', 'progressive_accumulation_arc'],
  ['Lose 8 kg by Christmas', 'progressive_accumulation_arc'],
  ['Run 500 km in 6 months, every Monday and Thursday', 'progressive_accumulation_arc'],
  ['Write 50,000 words in ten weeks', 'progressive_accumulation_arc'],
  ['Go from 20 to 50 push-ups in 8 weeks', 'progressive_accumulation_arc'],
  ['Pay off 12k dollars of debt over two years', 'progressive_accumulation_arc'],
  ['Read 12 books in a year, 15 minutes every day', 'progressive_accumulation_arc'],
  ['I want to become a data scientist within a year, 10 hours a week', 'strategic_transformation'],
  ['Move from manual to automated invoicing before June', 'strategic_transformation'],
  ['Switch to a vegan diet', 'strategic_transformation'],
  ['Transform our support team into a self-service organisation by 2028', 'strategic_transformation'],
  ['Quit smoking by the end of January', 'strategic_transformation'],
  ['get better'],
  ['I have no plan, whatever'],
  ['Ein Haus bauen'],
  ['42'],
  ['🎉🎉🎉'],
  ['Visit 30 museums, one every other Sunday'],
  ['Finish the app today'],
  ['x'.repeat(3_900)],
  ['Do it in 1 day, every Monday, 10 minutes a day'],
  ['Learn the violin for 3 years, 5 hours a week on Tuesdays and Fridays from 6 to 8 pm'],
  ['Complete a course with 40 lectures by 1 May, two lectures a week'],
];

const parts = {
  once: [
    'Organise a reading festival',
    'Build a garden shed',
    'Launch a newsletter',
    'Set up a home office',
    'Write my thesis',
    'Move the archive to the cloud',
  ],
  repeated: ['Play the cello', 'Walk the dog', 'Tidy the workshop', 'Stretch', 'Study anatomy', 'Do a yoga routine'],
  counted: [
    'Save 2,400 pounds',
    'Run 300 km',
    'Read 18 books',
    'Learn 900 words',
    'Solve 120 problems',
    'Collect 75 signatures',
    'Lose 5 kilos',
  ],
  changed: [
    'Become a beekeeper',
    'Change from paper to digital records',
    'Turn the club into a cooperative',
    'Switch to renewable energy',
  ],
  dates: [
    '',
    ' in 9 days',
    ' within five weeks',
    ' over six months',
    ' by 30 April 2027',
    ' before July',
    ' until the end of next year',
    ' this year',
    ' starting next Monday for 8 weeks',
  ],
  rhythms: [
    '',
    ' every day',
    ' every Tuesday and Friday',
    ' on weekends',
    ' three evenings a week',
    ' twice a month',
    ' every other Wednesday',
    ' every 4 days',
    ' from Monday to Thursday',
  ],
  efforts: [
    '',
    ', 20 minutes a day',
    ', 45 minutes each time',
    ', 4 hours a week',
    ', 90-minute sessions',
    ', two hours a day',
  ],
} as const;

/** Generates goals from templates and words. */
export function generateGoals(seed: number, count: number): readonly string[] {
  const random = new SeededRandom(seed);
  const { once, repeated, counted, changed, dates, rhythms, efforts } = parts;
  return Array.from({ length: count }, () => {
    const aim = random.pick(random.pick<readonly string[]>([once, repeated, counted, changed]));
    const more = [random.pick(dates), random.pick(rhythms), random.pick(efforts)];
    return `${random.chance(0.3) ? 'I want to ' : ''}${aim}${random.chance(0.5) ? more.join('') : more.toReversed().join('')}`;
  });
}
