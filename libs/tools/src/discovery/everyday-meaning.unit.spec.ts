import { describe, expect, it } from 'vitest';
import { meantBy, sayingsIn } from './everyday-meaning.js';
import { EVERYDAY_WORDS_OF_MACHINES } from './everyday-words-of-machines.js';
import { EVERYDAY_WORDS_OF_PEOPLE } from './everyday-words-of-people.js';
import { ToolIndex } from './rank-tools.js';
import { stemOf } from './words-of.js';

const tool = (name: string) => ({ name, description: '', parameters: { type: 'object' } as never });
const found = (names: readonly string[], request: string): readonly string[] =>
  new ToolIndex(names.map((name) => tool(name))).search(request, 5).map((one) => one.tool.name);

describe('everyday words', () => {
  it.each([
    ['hook up the two of them', 'connect_nodes'],
    ['postpone the dentist', 'reschedule_event'],
    ['how sluggish is it', 'start_trace'],
    ['money back for Mrs Hill', 'refund_payment'],
    ['will it need an umbrella', 'weather_forecast'],
    ['jot what Ann said', 'create_note'],
    ['fold in the side line', 'merge_branch'],
    ['grab a nice picture of it', 'take_screenshot'],
  ])('find for "%s" the tool that shares no word with it', (request, right) => {
    expect(found(['wrap_parcel', right, 'feed_cat'], request)).toEqual([right]);
  });

  it('count less than words that were said', () => {
    expect(found(['refund_payment', 'money_back'], 'money back')).toEqual(['money_back', 'refund_payment']);
  });

  it('mean something one way only', () => {
    expect(meantBy(stemOf('snap'))).toContain(stemOf('screenshot'));
    expect(found(['snap_beans'], 'take a screenshot')).toEqual([]);
  });
});

describe('sayings', () => {
  it('are found with up to three words between, in any form of their words', () => {
    const meant = sayingsIn('hook up');
    expect(meant).toHaveLength(1);
    expect(sayingsIn('Hooking the old printer up')).toEqual(meant);
    expect(sayingsIn('hook the very old printer up')).toEqual([]);
    expect(sayingsIn('hook, line and sinker')).toEqual([]);
  });

  it('share no word: the longer one is taken', () => {
    expect(sayingsIn('say yes to it')).toHaveLength(1);
    expect(sayingsIn('say yes to it and roll back')).toHaveLength(2);
  });

  it('mean one thing for each side of a plus', () => {
    expect(sayingsIn('put it in the diary')).toEqual([['creat'], ['event', 'calendar']]);
  });
});

it('says in every line what is meant, and stands in order', () => {
  for (const theme of [EVERYDAY_WORDS_OF_PEOPLE, EVERYDAY_WORDS_OF_MACHINES].flatMap((one) => Object.values(one))) {
    const lines = theme.trim().split('\n');
    expect(lines.filter((line) => !/^[^>+]+ > [a-z+ ]+$/.test(line))).toEqual([]);
    expect(lines).toEqual(lines.toSorted((one, other) => (one < other ? -1 : 1)));
  }
});
