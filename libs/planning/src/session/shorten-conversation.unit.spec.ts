import { expect, it } from 'vitest';
import { buildSession, HASH } from './plan-session.fixture.js';
import { addMessage } from './plan-session.js';
import { renderQuestion } from './render-question.js';
import { shortenConversation, summarizeTurn } from './shorten-conversation.js';

const TURN = { costMicroUsd: 312_000, softCostMicroUsd: 300_000 };

it('bounds the conversation, and keeps the goal, the latest words and everything else', () => {
  const session = buildSession({}, { hashes: { context: HASH, outline: HASH } });
  let talked = session;
  for (let turn = 1; turn <= 40; turn++) {
    talked = addMessage(talked, 'planner', `Plan ${turn}. ${'Details of the plan. '.repeat(60)}`);
    talked = addMessage(talked, 'person', `propose changes: wish ${turn}`);
  }
  const shortened = shortenConversation(talked);
  const texts = shortened.messages.map(({ text }) => text);
  expect(texts.join('').length).toBeLessThan(5_000);
  expect(shortened.messages[0]).toEqual(session.messages[0]);
  expect(texts.at(-1)).toBe('propose changes: wish 40');
  expect(texts).toContain('propose changes: wish 1');
  expect(shortened.messages.filter(({ from }) => from === 'planner')).toHaveLength(4);
  expect({ ...shortened, messages: [] }).toEqual({ ...talked, messages: [] });
  expect(shortenConversation(shortened)).toEqual(shortened);
});

it('drops the oldest words of a person who said very much', () => {
  let talked = buildSession();
  for (let turn = 1; turn <= 10; turn++) talked = addMessage(talked, 'person', `${turn} ${'word '.repeat(200)}`);
  const own = shortenConversation(talked).messages.slice(1);
  expect(own.map(({ text }) => text.split(' ')[0])).toEqual(['7', '8', '9', '10']);
});

it.each([
  [{}, 'context', 'The plan has nothing yet, and the context is next.'],
  [{ context: HASH }, 'outline', 'The plan has its context, and the outline is next.'],
  [
    { context: HASH, outline: HASH, roadmap: HASH, schedule: HASH },
    'approval',
    'The plan has its context, outline, roadmap, and schedule, and your approval is next.',
  ],
] as const)('says in two sentences what the plan has, and what the turn cost: %j', (hashes, stage, first) => {
  const summary = summarizeTurn(buildSession({}, { hashes, stage }), TURN);
  expect(summary).toBe(`${first} This turn cost $0.31, more than its ceiling of $0.30.`);
  expect(renderQuestion({ kind: 'budget', code: 'turn_cost', summary })).toBe(
    `${summary}\n\nReply 'continue' or 'stop'.`,
  );
});
