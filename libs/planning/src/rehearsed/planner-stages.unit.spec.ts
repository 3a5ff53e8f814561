import type { JsonObject } from '@phaseline/basics';
import { describe, expect, it } from 'vitest';
import { computeConfidence } from '../confidence/compute-confidence.js';
import { planningSettingsSchema } from '@phaseline/contracts';
import { measureHeuristics } from '../confidence/measure-heuristics.js';
import { computeValidatorScore } from '../grammar/violation-kinds.js';
import { DEFAULT_INTERACTION_POLICY as policy } from '../policy/interaction-policy.js';
import {
  buildContext,
  buildSession,
  draftOutline,
  findArguments,
  playStage,
  simulatePlan,
  succeed,
} from './simulated-plan.fixture.js';

const collect = (goal: string, more: JsonObject = {}) =>
  playStage('context', { 'plan/session.json': buildSession(goal, more) }, () => succeed());
const elicit = (goal: string, more: JsonObject = {}) => findArguments(collect(goal, more), 'context_elicitor');
const say = (goal: string, ...later: readonly string[]): JsonObject => ({
  messages: [goal, ...later].map((text, index) => ({ from: index % 2 === 0 ? 'person' : 'planner', text })),
});
const fail = (explanation: string): object => ({ ok: false, confidence: 0, explanations: [explanation], data: null });

describe('collecting the context', () => {
  it('passes on what the words state, and nothing else', () => {
    const evening = { from: '18:00', to: '21:00' };
    expect(elicit('Half marathon in twelve weeks, evenings every Monday and Thursday')).toEqual({
      end: '2027-02-20',
      hours: [
        { weekday: 'monday', ...evening },
        { weekday: 'thursday', ...evening },
      ],
      confidence: 0.9,
    });
    expect(elicit('Write a 400 page book in 3 days with 1 hour a day')).toMatchObject({
      minutes_per_day: 60,
      minutes_per_week: 420,
    });
  });

  it('asks what is missing, each with an assumption; only a goal that says nothing blocks', () => {
    const questions = (goal: string) =>
      (elicit(goal)['questions'] ?? []) as { text: string; assumption: string; is_blocking: boolean }[];
    expect(questions('Become a beekeeper').map(({ text }) => text)).toEqual([
      'By when is it to be finished?',
      'How many hours per week do you have for it?',
    ]);
    expect(questions('Swim twice a week').map(({ text }) => text)).toEqual(['On which weekdays?']);
    expect(questions('Swim every Monday for 30 minutes')).toEqual([]);
    expect(questions('get better').map(({ is_blocking }) => is_blocking)).toEqual([true, false, false]);
    expect(questions('get better').every(({ assumption }) => assumption.length > 10)).toBe(true);
  });

  it('takes answers as facts, and does not ask again', () => {
    const question =
      "1. By when is it to be finished?\n2. How many hours per week do you have for it?\n\nReply with your answers, or with 'stop'.";
    const goal = 'Become a beekeeper';
    expect(elicit(goal, say(goal, question, 'By the end of May, 4 hours a week'))).toEqual({
      end: '2027-05-31',
      minutes_per_week: 240,
      facts: [
        {
          question: 'By when is it to be finished? How many hours per week do you have for it?',
          answer: 'By the end of May, 4 hours a week',
          is_assumed: false,
        },
      ],
      confidence: 0.9,
    });
    const vague = elicit(goal, say(goal, question, 'I cannot say'));
    expect(vague['questions']).toBeUndefined();
    expect(vague['facts']).toContainEqual({
      question: 'By when is it to be finished?',
      answer: 'The plan is laid out until 2027-05-29.',
      is_assumed: true,
    });
  });

  it('takes the aim of a goal that says nothing from the answer', () => {
    const messages = say('get better', 'What exactly do you want?', 'Speak Portuguese at work by July');
    expect(elicit('get better', messages)).toMatchObject({ end: '2027-06-30', confidence: 0.8 });
    expect(simulatePlan('get better', messages).outline.nodes[0]!.title).toMatch(/Portuguese/);
  });

  it('assumes a horizon in which work of a stated size fits', () => {
    const [question] = elicit('Read 60 books, 2 hours a week')['questions'] as { assumption: string }[];
    // 300 hours of reading in two hours a week, and half of it to spare.
    expect(question!.assumption).toBe('The plan is laid out until 2031-03-22.');
  });

  it('passes on zone, days off and the spread of the work', () => {
    expect(
      elicit('Learn chess by 1 May, Europe/Berlin, except 24 December, front-loaded, with a 10% buffer'),
    ).toMatchObject({
      ...{ zone: 'Europe/Berlin', holidays: [{ day: '2026-12-24' }], loading: 'front_loaded', buffer_share: 0.1 },
    });
  });

  it('records words about style first, unless the policy has them', () => {
    const goal = 'Learn chess, be brief today';
    expect(collect(goal)[0]).toEqual({
      name: 'preference_probe',
      arguments: {
        overrides: { conversation_style: 'concise', talkativeness: 0.2 },
        words: 'be brief today',
        confidence: 0.7,
      },
    });
    const applied = { policy: { ...policy, conversationStyle: 'concise', talkativeness: 0.2 } };
    expect(collect(goal, applied).map(({ name }) => name)).toEqual(['context_elicitor']);
  });

  it('has the person asked about the style once, and records the answer', () => {
    const unknown = { preferences: {}, overrides: [], wasStyleAsked: false };
    expect(collect('Learn chess', unknown).map(({ name }) => name)).toEqual(['preference_probe', 'context_elicitor']);
    expect(collect('Learn chess', { ...unknown, wasStyleAsked: true })).toHaveLength(1);
    expect(collect('Learn chess', { ...unknown, preferences: { conversationStyle: 'coach' } })).toHaveLength(1);
    const answered = say('Learn chess', 'Do you prefer it concise or conversational?', 'conversational');
    expect(
      findArguments(collect('Learn chess', { ...answered, wasStyleAsked: true }), 'preference_probe'),
    ).toMatchObject({
      overrides: { conversation_style: 'conversational' },
    });
  });

  it('offers ideas if they are wanted', () => {
    const names = collect('Brainstorm with me: a birthday party by 1 May').map(({ name }) => name);
    expect(names).toEqual(['brainstormer', 'context_elicitor']);
  });

  it('leaves out what a refusal names, and stops after three refusals', () => {
    const files = { 'plan/session.json': buildSession('Build a shed by 1 May, 4 hours a week') };
    const calls = playStage('context', files, ({ arguments: args }) =>
      'end' in args ? fail('end: the day is a holiday') : succeed(),
    );
    expect(calls.map(({ arguments: args }) => Object.keys(args))).toEqual([
      ['end', 'minutes_per_week', 'confidence'],
      ['minutes_per_week', 'confidence'],
    ]);
    expect(playStage('context', files, () => fail('no'))).toHaveLength(3);
  });
});

describe('requested changes', () => {
  const goal = 'Prepare for a half marathon in twelve weeks, three evenings a week';
  const change = (text: string) =>
    simulatePlan(goal, say(goal, "Reply 'approve' or 'propose changes'.", `propose changes: ${text}`));
  const before = simulatePlan(goal);
  const findNode = ({ outline }: typeof before, id: string) => outline.nodes.find((node) => node.id === id);

  it.each([
    ['shorter sessions', 40, 'FREQ=WEEKLY;BYDAY=MO,WE,FR;UNTIL=20270220T235959Z'],
    ['longer sessions', 90, 'FREQ=WEEKLY;BYDAY=MO,WE,FR;UNTIL=20270220T235959Z'],
    ['only two evenings', 60, 'FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270220T235959Z'],
    ['only on Fridays', 60, 'FREQ=WEEKLY;BYDAY=FR;UNTIL=20270220T235959Z'],
    ['finish in ten weeks', 60, 'FREQ=WEEKLY;BYDAY=MO,WE,FR;UNTIL=20270206T235959Z'],
    ['add a rest week', 60, 'FREQ=MONTHLY;BYDAY=1MO,1WE,1FR,2MO,2WE,2FR,3MO,3WE,3FR;UNTIL=20270220T235959Z'],
  ])('%s', (text, minutes, rule) => {
    const plan = change(text);
    expect(plan.violations).toEqual([]);
    expect([findNode(plan, 'c1t1')!.estimateMinutes, findNode(plan, 'c1')!.recurrence]).toEqual([minutes, rule]);
  });

  it('adds and drops tasks and phases, and changes nothing else', () => {
    const added = change('add a task: buy shoes');
    expect(added.outline.nodes.filter(({ id }) => !findNode(before, id)).map(({ title }) => title)).toEqual([
      'Buy shoes',
    ]);
    const dropped = change('drop the task "look at the result"');
    expect(before.outline.nodes.filter(({ id }) => !findNode(dropped, id)).map(({ id }) => id)).toEqual(['p3t2']);
    expect(change('fewer phases').outline.nodes.filter(({ level }) => level === 'L1')).toHaveLength(3);
    expect([added, dropped].flatMap(({ violations }) => violations)).toEqual([]);
  });

  it('gives tasks to agents', () => {
    const { outline, violations } = simulatePlan(
      'Organise a festival by 1 May. Let the agent writer draft the invitation',
    );
    expect(outline.nodes.filter(({ agent }) => agent !== undefined)).toMatchObject([
      { title: 'Draft the invitation', agent: 'writer' },
    ]);
    expect(violations).toEqual([]);
  });

  it('uses the pattern that is asked for', () => {
    const { selection, violations } = change('make it a recurring cycle');
    expect(selection.pattern).toMatchObject({ patternType: 'recurring_cycle', introducedBy: 'user_feedback' });
    expect(violations).toEqual([]);
  });

  it('puts rest weeks of a project between its parts', () => {
    const shed = 'Build a shed by 1 May';
    const { roadmap, violations } = simulatePlan(
      shed,
      say(shed, 'The plan is ready.', 'propose changes: add rest weeks'),
    );
    expect(roadmap.dependencies.filter(({ lag }) => lag.amount === 7 && lag.unit === 'days')).toHaveLength(4);
    expect(violations).toEqual([]);
  });
});

describe('repairs', () => {
  const goal = 'Build a shed by 1 May, 4 hours a week';
  const plan = simulatePlan(goal);
  const redraft = (outline: object, more: JsonObject) =>
    draftOutline(buildSession(goal, more), plan.context, { 'plan/outline.json': outline }).outline.nodes;

  it('change exactly the fields that violations and instructions name', () => {
    const broken = plan.outline.nodes.map((node) => {
      const { estimateMinutes: _, ...rest } = { ...node, title: `${node.title}!` };
      return node.id === 'p1t1' ? rest : { ...node, title: `${node.title}!` };
    });
    const instruction = 'Set estimateMinutes of p1t1 to the minutes of work that it takes.';
    const violation = {
      ...{
        code: 'estimate_missing',
        artifact: 'outline',
        node: 'p1t1',
        field: 'estimateMinutes',
        severity: 'retryable',
        message: 'x',
      },
      remedy: { kind: 'instruction', text: instruction },
    };
    const { estimateMinutes } = plan.outline.nodes.find(({ id }) => id === 'p1t1')!;
    const expected = broken.map((node) => (node.id === 'p1t1' ? { ...node, estimateMinutes } : node));
    const outline = { ...plan.outline, nodes: broken };
    expect(redraft(outline, { violations: [violation] })).toEqual(expected);
    expect(redraft(outline, { instructions: [instruction], narrowed: true })).toEqual(expected);
  });

  it('apply suggested fixes, and make a new draft where no field is named', () => {
    const outline = {
      ...plan.outline,
      nodes: plan.outline.nodes.map((node) => ({ ...node, title: `${node.title}!` })),
    };
    const fix = {
      kind: 'fix',
      description: 'x',
      operations: [{ op: 'replace', path: '/nodes/0/title', value: 'A new title' }],
    };
    const violation = {
      code: 'level1_doubled',
      artifact: 'outline',
      node: 'p1',
      field: 'title',
      severity: 'retryable',
      message: 'x',
      remedy: fix,
    };
    expect(redraft(outline, { violations: [violation] }).map(({ title }) => title)).toEqual([
      'A new title',
      ...outline.nodes.slice(1).map(({ title }) => title),
    ]);
    expect(redraft(outline, { instructions: ['Think again.'] })).toEqual(plan.outline.nodes);
  });
});

describe('the confidence', () => {
  const band = (goal: string) => {
    const { confidence, violations, outline, context, selection } = simulatePlan(goal);
    const validator = computeValidatorScore('outline', new Set(violations.map(({ code }) => code)));
    const heuristicValues = measureHeuristics({
      outline,
      facts: context.facts,
      patternDistance: selection.ranking.distance,
    });
    return [
      confidence,
      computeConfidence({ self: confidence, validator, heuristicValues }, planningSettingsSchema.parse({}).confidence)
        .band,
    ];
  };

  it.each([
    ['Prepare for a half marathon in twelve weeks, three evenings a week', 0.9, 'go_on'],
    ['Organise a street festival by 14 March 2027', 0.8, 'go_on'],
    ['Become vegan', 0.7, 'go_on'],
    ['get better', 0.4, 'retry'],
    ['Maybe build a boat, I am not sure', 0.2, 'retry'],
    ['Maybe something nicer somehow, no idea', 0, 'escalate'],
  ])('%s: %d, %s', (goal, self, expected) => {
    expect(band(goal)).toEqual([self, expected]);
  });

  it('rises when an answer replaces the doubt', () => {
    const goal = 'Maybe something nicer somehow, no idea';
    const plan = simulatePlan(goal, say(goal, 'What exactly do you want?', 'A new kitchen by 1 June, 5 hours a week'));
    expect([plan.confidence, plan.violations]).toEqual([0.9, []]);
  });
});

describe('options and roadmap', () => {
  const goal = 'Launch an online shop in 10 weeks';
  const { context, outline } = simulatePlan(goal);
  const play = (more: JsonObject = {}) =>
    playStage(
      'roadmap',
      { 'plan/session.json': buildSession(goal, more), 'plan/context.json': context, 'plan/outline.json': outline },
      () => succeed(),
    );

  it.each([
    [{ talkativeness: 0.5 }, 3],
    [{ talkativeness: 0.4 }, 2],
    [{ conversationStyle: 'concise' }, 2],
  ])('with %o there are %d options', (more, count) => {
    const calls = play({ policy: { ...policy, ...more } });
    expect(calls.map(({ name }) => name)).toEqual(['option_crafter', 'dependency_resolver', 'roadmap_builder']);
    expect(findArguments(calls, 'option_crafter')['options']).toHaveLength(count);
    expect(findArguments(calls, 'roadmap_builder')['options_tried']).toHaveLength(count);
  });

  it('uses the option that the person chose', () => {
    const options = findArguments(play(), 'option_crafter')['options']!;
    const calls = play({ options, chosenOption: 'buffered' });
    expect(calls.map(({ name }) => name)).toEqual(['dependency_resolver', 'roadmap_builder']);
    expect(findArguments(calls, 'roadmap_builder')).toMatchObject({ choice: { option: 'buffered' } });
    expect(JSON.stringify(findArguments(calls, 'roadmap_builder')['dependencies'])).toContain('"unit":"days"');
  });
});

describe('schedule and approval', () => {
  const goal = 'Launch an online shop in 10 weeks';
  const { context, outline, roadmap } = simulatePlan(goal);
  const files = (more: JsonObject = {}) => ({
    ...{ 'plan/session.json': buildSession(goal, more), 'plan/context.json': context },
    ...{ 'plan/outline.json': outline, 'plan/roadmap.json': roadmap },
  });

  it('looks at the other plans before the schedule is computed', () => {
    expect(playStage('schedule', files(), () => succeed()).map(({ name }) => name)).toEqual([
      'portfolio_probe',
      'schedule_generator',
    ]);
  });

  it.each([0, 0.2, 0.5, 1])('says what the plan is within the length of talkativeness %d', (talkativeness) => {
    const [call] = playStage('approval', files({ policy: { ...policy, talkativeness } }), () => succeed());
    const { text, call_to_action } = call!.arguments as { text: string; call_to_action: string };
    expect(text).toContain('From 2026-11-29 to 2027-02-06.');
    expect(text.length).toBeLessThanOrEqual(160 + 1_440 * talkativeness);
    expect(call_to_action).toContain('approve');
  });
});

describe('proposals', () => {
  it('are made once per words, with a reason, and with a consistent grammar if a new pattern is proposed', () => {
    const subtype = simulatePlan(
      'Propose a new subtype called daily health protocol v2. Drink water and stretch every morning',
    );
    expect(subtype.selection).toMatchObject({
      pattern: {
        patternType: 'recurring_cycle',
        subtype: 'proposed:daily_health_protocol_v2',
        sourcePattern: 'recurring_cycle',
      },
      proposal: { kind: 'needs_approval' },
    });
    const pattern = simulatePlan('Propose a new top-level pattern called sabbatical. Travel through Asia for 6 months');
    expect(pattern.selection).toMatchObject({
      pattern: { patternType: 'proposed:sabbatical' },
      proposal: { kind: 'needs_approval' },
    });
    expect([subtype, pattern].flatMap(({ violations }) => violations)).toEqual([]);
  });

  it('are not raised again after a refusal', () => {
    const goal = 'Propose a new subtype called evening protocol. Stretch every evening';
    const { context } = simulatePlan(goal);
    const session = buildSession(goal, { refusedProposals: ['recurring_cycle/proposed:evening_protocol'] });
    const { selection } = draftOutline(session, buildContext(goal, { end: context.dates.end ?? '2027-02-01' }));
    expect(selection.proposal).toBeUndefined();
    expect(selection.pattern.subtype).toBeUndefined();
  });

  it('are left out after the tool refused them', () => {
    const goal = 'Propose a new subtype called evening protocol. Stretch every evening';
    const files = { 'plan/session.json': buildSession(goal), 'plan/context.json': simulatePlan(goal).context };
    const calls = playStage('outline', files, ({ arguments: args }) =>
      'proposal' in args ? fail('not allowed') : succeed(),
    );
    expect(calls.map(({ name, arguments: args }) => [name, 'proposal' in args])).toEqual([
      ['pattern_selector', true],
      ['pattern_selector', false],
      ['node_generator', false],
    ]);
  });
});
