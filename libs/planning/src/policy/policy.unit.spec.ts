import { describe, expect, it } from 'vitest';
import { confidenceBands, type ConfidenceBand } from '../confidence/confidence-band.js';
import { approvalSubjects, needsApproval } from './approval-cadence.js';
import { countOptions, isBrainstormerOffered } from './ideas.js';
import {
  DEFAULT_INTERACTION_POLICY as defaults,
  interactionPolicySchema,
  resolvePolicy,
} from './interaction-policy.js';
import { decidesPerson, selectQuestions, shouldAskStyle, type CandidateQuestion } from './interview.js';
import { getMessageStyle } from './message-style.js';

const question = (text: string, change: Partial<CandidateQuestion> = {}): CandidateQuestion => ({
  ...{ text, purpose: 'fact', assumption: `${text}: unknown`, isBlocking: false, ...change },
});
const questions = [
  question('first'),
  question('blocking', { isBlocking: true }),
  question('third'),
  question('fourth'),
  question('style', { purpose: 'preference' }),
  question('subtype', { purpose: 'approval' }),
];
const ask = (policy: Partial<typeof defaults>, band: ConfidenceBand = 'retry'): readonly string[] =>
  selectQuestions({ ...defaults, ...policy }, questions, band).asked.map(({ text }) => text);

describe('InteractionPolicy', () => {
  it('accepts exactly the seven sliders and their ranges', () => {
    expect(interactionPolicySchema.parse(defaults)).toEqual(defaults);
    expect(Object.keys(defaults)).toHaveLength(7);
    for (const wrong of [
      { talkativeness: 1.1 },
      { probingDepth: 4 },
      { probingDepth: 1.5 },
      { tone: 'rude' },
      { mood: 1 },
    ])
      expect(interactionPolicySchema.safeParse({ ...defaults, ...wrong }).success).toBe(false);
  });

  it('merges defaults, preferences of the user, and overrides of the session; the last one wins', () => {
    const preferences = { tone: 'friendly', talkativeness: 0.9 } as const;
    expect(resolvePolicy({}, [])).toEqual(defaults);
    expect(resolvePolicy(preferences, [{ talkativeness: 0.3 }, { talkativeness: 0.1, tone: undefined }])).toEqual({
      ...{ ...defaults, tone: 'friendly', talkativeness: 0.1 },
    });
  });
});

describe('probing depth', () => {
  it.each([
    [0, ['style', 'subtype']],
    [1, ['blocking', 'style', 'subtype']],
    [2, ['first', 'blocking', 'style', 'subtype']],
    [3, ['first', 'blocking', 'third', 'style', 'subtype']],
  ])('%i limits the facts that are asked; preferences and approvals do not count', (probingDepth, asked) => {
    expect(ask({ probingDepth })).toEqual(asked);
  });

  it('makes assumptions of what is not asked', () => {
    const { asked, assumed } = selectQuestions({ ...defaults, probingDepth: 0 }, questions, 'retry');
    expect(assumed.map(({ assumption }) => assumption)).toEqual([
      ...['first: unknown', 'blocking: unknown', 'third: unknown', 'fourth: unknown'],
    ]);
    expect(asked.length + assumed.length).toBe(questions.length);
  });
});

describe('autonomy', () => {
  it.each([
    ['high', 'go_on', ['blocking']],
    ['high', 'retry', ['blocking']],
    ['medium', 'go_on', ['blocking']],
    ['medium', 'retry', ['first', 'blocking', 'third']],
    ['low', 'retry', ['first', 'blocking', 'third']],
  ] as const)('%s asks in the band %s: %j', (autonomy, band, facts) => {
    expect(ask({ autonomy, probingDepth: 3 }, band)).toEqual([...facts, 'style', 'subtype']);
  });

  it('decides who chooses options and applies fixes', () => {
    const table = (['high', 'medium', 'low'] as const).map((autonomy) =>
      confidenceBands.map((band) => [
        decidesPerson(autonomy, 'choose_option', band),
        decidesPerson(autonomy, 'apply_fix', band),
      ]),
    );
    const [no, yes] = [[false, false] as const, [true, true] as const];
    expect(table).toEqual([
      [no, no, no],
      [no, [true, false], no],
      [yes, yes, yes],
    ]);
  });
});

it('the style is asked once, and only while it is unset', () => {
  const coach = { conversationStyle: 'coach' } as const;
  expect(shouldAskStyle({}, [], false)).toBe(true);
  expect(shouldAskStyle({ tone: 'friendly' }, [{ tone: 'neutral' }], false)).toBe(true);
  expect(shouldAskStyle({}, [], true)).toBe(false);
  expect(shouldAskStyle(coach, [], false)).toBe(false);
  expect(shouldAskStyle({}, [{}, coach], false)).toBe(false);
});

describe('approval policy', () => {
  it.each([
    ['single_final', ['schedule']],
    ['milestone_approvals', ['outline', 'roadmap', 'schedule']],
    ['strict_every_step', ['goal', 'outline', 'roadmap', 'schedule', 'adaptation']],
  ] as const)('%s asks for %j', (policy, subjects) => {
    expect(approvalSubjects.filter((subject) => needsApproval(policy, subject))).toEqual(subjects);
  });
});

describe('brainstorming preference', () => {
  const moments = [
    { isOutlineStage: true, hasPersonAsked: false, band: 'go_on' },
    { isOutlineStage: false, hasPersonAsked: false, band: 'retry' },
    { isOutlineStage: false, hasPersonAsked: false, band: 'go_on' },
    { isOutlineStage: false, hasPersonAsked: true, band: 'go_on' },
  ] as const;
  it.each([
    ['on_demand', [false, false, false, true]],
    ['suggest_when_uncertain', [false, true, false, true]],
    ['always_offer', [true, true, false, true]],
  ] as const)('%s', (preference, offered) => {
    expect(moments.map((moment) => isBrainstormerOffered(preference, moment))).toEqual(offered);
  });
});

describe('conversation style, talkativeness and tone', () => {
  it.each([
    ['concise', 1, 2],
    ['standard', 0.49, 2],
    ['standard', 0.5, 3],
    ['conversational', 1, 3],
    ['coach', 0, 2],
  ] as const)('%s at %d: %i options', (conversationStyle, talkativeness, count) => {
    expect(countOptions({ conversationStyle, talkativeness })).toBe(count);
  });

  it('talkativeness sets the length of a message', () => {
    const lengths = [0, 0.25, 0.5, 1].map(
      (talkativeness) => getMessageStyle({ ...defaults, talkativeness }).maxCharacters,
    );
    expect(lengths).toEqual([160, 520, 880, 1600]);
  });

  it('every style has its own wording, and every tone its own instruction', () => {
    const styles = (['concise', 'standard', 'conversational', 'coach'] as const).map(
      (conversationStyle) => getMessageStyle({ ...defaults, conversationStyle }).wording,
    );
    const tones = (['neutral', 'friendly', 'clinical'] as const).map(
      (tone) => getMessageStyle({ ...defaults, tone }).tone,
    );
    expect([new Set(styles).size, new Set(tones).size]).toEqual([4, 3]);
  });
});
