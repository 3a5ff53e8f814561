import { describe, expect, it } from 'vitest';
import { readGoal } from './read-goal.js';

/** A Saturday. */
const TODAY = '2026-11-28';
const read = (words: string) => readGoal(words, TODAY);

describe('dates of a goal', () => {
  it.each([
    ['Run a race in twelve weeks', undefined, '2027-02-20'],
    ['Learn to sail for 3 months', undefined, '2027-02-28'],
    ['Write a play within a year', undefined, '2027-11-28'],
    ['Write a play over the next two years', undefined, '2028-11-28'],
    ['Fix the roof in 48 hours', undefined, '2026-11-30'],
    ['Paint the hall in two weekends', undefined, '2026-12-12'],
    ['Do a 30-day yoga challenge', undefined, '2026-12-28'],
    ['A 12 week strength programme', undefined, '2027-02-20'],
    ['Hand in the report by 14 March 2027', undefined, '2027-03-14'],
    ['Hand in the report by March 14th', undefined, '2027-03-14'],
    ['Hand in the report by the 2nd of December', undefined, '2026-12-02'],
    ['Hand in the report by 2027-01-31', undefined, '2027-01-31'],
    ['Hand in the report before 2027-01-31', undefined, '2027-01-30'],
    ['Move out before June', undefined, '2027-05-31'],
    ['Move out by the end of June', undefined, '2027-06-30'],
    ['Move out by the end of next year', undefined, '2027-12-31'],
    ['Bake cookies until Christmas', undefined, '2026-12-24'],
    ['Read novels this year', undefined, '2026-12-31'],
    ['Read novels next year', '2027-01-01', '2027-12-31'],
    ['Sort the photos in February', '2027-02-01', '2027-02-28'],
    ['The exam is on 3 February', undefined, '2027-02-03'],
    ['Call the bank tomorrow', undefined, '2026-11-29'],
    ['Finish the app today', TODAY, TODAY],
    ['Launch the shop in 10 weeks, starting next Monday', '2026-11-30', '2027-02-07'],
    ['Work on it from 1 March to 15 April', '2027-03-01', '2027-04-15'],
    ['Work on it from 1 to 15 April', '2027-04-01', '2027-04-15'],
    ['Retrain by 2030', undefined, '2029-12-31'],
    ['Start in two weeks: clean the attic', '2026-12-12', undefined],
    ['Learn chess before summer', undefined, undefined],
    ['Run a marathon in under 4 hours', undefined, undefined],
    ['Save over 2000 euros', undefined, undefined],
  ])('%s', (words, start, end) => {
    const { days: _, ...dates } = read(words).dates;
    expect(dates).toEqual({ ...(start && { start }), ...(end && { end }) });
  });
});

describe('rhythm of a goal', () => {
  it.each([
    ['Swim three evenings a week', { unit: 'week', interval: 1, times: 3 }],
    ['Swim twice a week', { unit: 'week', interval: 1, times: 2 }],
    ['Swim 4 times per week', { unit: 'week', interval: 1, times: 4 }],
    ['Swim 2-3 times a week', { unit: 'week', interval: 1, times: 3 }],
    ['Take vitamins twice a day', { unit: 'day', interval: 1, times: 2 }],
    ['Stretch daily', { unit: 'day', interval: 1 }],
    ['Stretch every single day', { unit: 'day', interval: 1 }],
    ['Water the plants every 3 days', { unit: 'day', interval: 3 }],
    ['Meet every two weeks', { unit: 'week', interval: 2 }],
    ['Meet fortnightly', { unit: 'week', interval: 2 }],
    ['Review the budget twice a month', { unit: 'month', interval: 1, times: 2 }],
    ['Review the budget every quarter', { unit: 'month', interval: 3 }],
    ['Swim every Monday and Thursday', { unit: 'week', interval: 1, times: 2, weekdays: ['monday', 'thursday'] }],
    [
      'Swim on Mondays, Wednesdays and Fridays',
      { unit: 'week', interval: 1, times: 3, weekdays: ['monday', 'wednesday', 'friday'] },
    ],
    ['Clean every other Saturday', { unit: 'week', interval: 2, times: 1, weekdays: ['saturday'] }],
    ['Sail on weekends', { unit: 'week', interval: 1, times: 2, weekdays: ['saturday', 'sunday'] }],
    [
      'Code from Tuesday to Thursday',
      { unit: 'week', interval: 1, times: 3, weekdays: ['tuesday', 'wednesday', 'thursday'] },
    ],
    [
      'Retrospective on the last Friday of every month',
      { unit: 'month', interval: 1, times: 1, weekdays: ['friday'], position: -1 },
    ],
    ['Publish 2 blog posts a week', { unit: 'week', interval: 1, times: 2 }],
    ['Read 24 books in a year', undefined],
    ['Hand it in on Monday', undefined],
    ['Build a shed in 9 days', undefined],
  ])('%s', (words, rhythm) => {
    expect(read(words).rhythm).toEqual(rhythm);
  });
});

describe('effort and hours of a goal', () => {
  it.each([
    ['Learn Spanish, 30 minutes a day', { perDay: 30 }],
    ['Learn Spanish, half an hour every day', { perDay: 30 }],
    ['Learn Spanish, an hour a day', { perDay: 60 }],
    ['Learn Spanish, 5 hours a week', { perWeek: 300 }],
    ['Learn Spanish, 2 to 4 hours per week', { perWeek: 180 }],
    ['Learn Spanish, 20-minute sessions', { perSession: 20 }],
    ['Play every Sunday for 90 minutes', { perSession: 90 }],
    ['Practise 100 hours', {}],
  ])('%s', (words, effort) => {
    expect(read(words).effort).toEqual(effort);
  });

  it.each([
    ['Run at 6:30 am every day', 390, 450],
    ['Run at 7 pm every Tuesday', 1_140, 1_200],
    ['Practise between 6 and 8 pm', 1_080, 1_200],
    ['Write on weekdays, 9:00 to 12:00', 540, 720],
    ['Run three evenings a week', 1_080, 1_260],
    ['Read every morning', 360, 540],
    ['Swim after work', 1_050, 1_260],
  ])('%s', (words, from, to) => {
    expect(read(words).hours).toEqual({ from, to });
  });

  it('reads no hours from other numbers', () => {
    expect(read('Read 10 to 12 books').hours).toBeUndefined();
    expect(read('Move from 20 to 50 push-ups').hours).toBeUndefined();
  });
});

describe('measure of a goal', () => {
  it.each([
    ['Save 6,000 euros', 'euros', 0, 6_000, true],
    ['Save €5k', 'euros', 0, 5_000, true],
    ['Run 500 km', 'km', 0, 500, true],
    ['Read twenty-four books', 'books', 0, 24, true],
    ['Lose 8 kg', 'kg lost', 0, 8, true],
    ['Go from 80 to 72 kg', 'kg less', 0, 8, true],
    ['Go from 20 to 50 push-ups', 'push-ups', 20, 50, true],
    ['Pay off 12k dollars of debt', 'dollars paid off', 0, 12_000, true],
    ['Write 50,000 words', 'words', 0, 50_000, true],
    ['Write a 400 page book', 'pages', 0, 400, false],
    ['Paint three rooms', 'rooms', 0, 3, false],
    ['Visit a hundred museums', 'museums', 0, 100, true],
  ])('%s', (words, unit, from, to, isCumulative) => {
    expect(read(words).measure).toEqual({ unit, from, to, isCumulative });
  });

  it('reads quantities per period', () => {
    expect(read('Save 200 euros a month').measure).toMatchObject({ to: 200, per: 'month' });
    expect(read('Save 200 euros every month').measure).toMatchObject({ to: 200, per: 'month' });
  });

  it.each([
    'Dinner for 20 guests',
    'Marathon in under 4 hours',
    'Run three evenings a week',
    'Learn Spanish in 3 months',
  ])('is not in: %s', (words) => expect(read(words).measure).toBeUndefined());
});

describe('change of a state', () => {
  it.each([
    ['Become a nurse', 1],
    ['Move from manual to automated invoicing', 1],
    ['Transform the library', 1],
    ['Switch to solar power', 1],
    ['Quit smoking', 1],
    ['Modernise the intranet', 0.8],
    ['Go from 20 to 50 push-ups', 0],
    ['Build a shed', 0],
  ])('%s', (words, certainty) => {
    expect(read(words).changeOfState).toBe(certainty);
  });

  it('names both states', () => {
    expect(read('Move from manual to automated invoicing before June').states).toEqual({
      before: 'manual',
      after: 'automated invoicing',
    });
  });
});

describe('aim of a goal', () => {
  it.each([
    [
      'I want to prepare for a half marathon in twelve weeks, three evenings a week',
      'Prepare for a half marathon',
      'a half marathon',
    ],
    ['Please help me to learn Spanish, 30 minutes a day for 6 months', 'Learn Spanish', 'Spanish'],
    ['make me a plan for passing the AWS exam on 3 February', 'Passing the AWS exam', 'the AWS exam'],
    ['My goal is to save 6,000 euros within a year', 'Save 6,000 euros', '6,000 euros'],
    ['be brief today. Learn to juggle.', 'Learn to juggle', 'juggle'],
    ['Renovate my kitchen on weekends', 'Renovate my kitchen', 'the kitchen'],
    ['Ein Haus bauen', 'Ein Haus bauen', '"Ein Haus bauen"'],
    ['42', 'The goal', 'the goal'],
  ])('%s', (words, title, object) => {
    expect(read(words).aim).toMatchObject({ title, object });
  });

  it.each([
    ['get better', true],
    ['Improve my life somehow', true],
    ['🎉', true],
    ['Get better at chess', false],
    ['Half marathon', false],
  ])('%s says what is to be reached, or not', (words, isVague) => {
    expect(read(words).aim.isVague).toBe(isVague);
  });
});

describe('what the words ask of the conversation', () => {
  it.each([
    ['Learn chess, keep it short', { conversation_style: 'concise', talkativeness: 0.2 }],
    ['Learn chess. Talk me through it, please', { conversation_style: 'conversational', talkativeness: 0.8 }],
    ['Learn chess. Coach me', { conversation_style: 'coach', tone: 'friendly' }],
    ['Ask me nothing. Learn chess', { probing_depth: 0, autonomy: 'high' }],
    ['Learn chess, check with me first', { probing_depth: 3, autonomy: 'low' }],
    ['Learn chess, let me approve every step', { approval_policy: 'strict_every_step' }],
    ['Learn chess', {}],
  ])('%s', (words, overrides) => {
    expect(read(words).style.overrides).toEqual(overrides);
    expect(read(words).aim.title).toBe('Learn chess');
  });

  it('reads the wish for ideas', () => {
    expect(read('brainstorm with me: a birthday party').style.wantsIdeas).toBe(true);
    expect(read('A birthday party').style.wantsIdeas).toBe(false);
  });

  it('reads proposals of patterns', () => {
    const goal = read(
      'Propose a new subtype called daily health protocol v2 because rounds differ. Stretch every morning',
    );
    expect(goal.proposal).toEqual({
      level: 'subtype',
      name: 'proposed:daily_health_protocol_v2',
      reason: 'rounds differ',
    });
    expect(goal.aim.title).toBe('Stretch');
    expect(read('Propose a new top-level pattern "Sabbatical!" for a year abroad').proposal).toMatchObject({
      level: 'top_level',
      name: 'proposed:sabbatical',
    });
  });

  it('reads what a proposal alone is about', () => {
    expect(read('Propose a new subtype called daily health protocol v2')).toMatchObject({
      proposal: { name: 'proposed:daily_health_protocol_v2' },
      rhythm: { unit: 'day', interval: 1 },
      aim: { isVague: false },
    });
  });

  it('counts phrases of doubt', () => {
    expect(read('Maybe learn chess somehow, I am not sure').doubts).toBe(3);
    expect(read('Learn chess').doubts).toBe(0);
  });
});

describe('agents and circumstances', () => {
  it('reads which agent does what', () => {
    const goal = read(
      'Organise a festival by 1 May. Let the agent writer draft the invitation. Use the agent shop-keeper for the tickets',
    );
    expect(goal.agents).toEqual([
      { agent: 'writer', task: 'draft the invitation' },
      { agent: 'shop-keeper', task: 'the tickets' },
    ]);
    expect(goal.aim.title).toBe('Organise a festival');
    expect(read('Call an estate agent tomorrow').agents).toEqual([]);
  });

  it.each([
    ['Learn chess in Europe/Berlin', { zone: 'Europe/Berlin', closedDays: [] }],
    ['Learn chess, away from 1 to 3 March 2027', { closedDays: ['2027-03-01', '2027-03-02', '2027-03-03'] }],
    ['Learn chess, except 24 December', { closedDays: ['2026-12-24'] }],
    ['Learn chess, start slowly, with some buffer', { closedDays: [], loading: 'back_loaded', bufferShare: 0.2 }],
    ['Learn chess, front-loaded, with a 10% buffer', { closedDays: [], loading: 'front_loaded', bufferShare: 0.1 }],
    ['Learn chess in Nowhere/Never', { closedDays: [] }],
  ])('%s', (words, circumstances) => {
    expect(read(words).circumstances).toEqual(circumstances);
  });
});
