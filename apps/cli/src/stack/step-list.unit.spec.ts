import { describe, expect, it } from 'vitest';
import { Output } from '../output/output.js';
import { FakeStream } from '../testing/fake-streams.js';
import { StepList } from './step-list.js';

function createSteps(options: { columns?: number; json?: boolean }): { steps: StepList; stdout: FakeStream } {
  const stdout = new FakeStream(options.columns);
  const out = new Output({
    stdout,
    stderr: new FakeStream(options.columns),
    env: {},
    json: options.json ?? false,
    color: false,
  });
  return { steps: new StepList(out), stdout };
}

function runSteps(list: StepList): void {
  list.complete('one');
  list.startWaiting('waiting');
  list.complete('two');
  list.stopWaiting();
  list.complete('three');
}

describe('the steps of a start', () => {
  it('are lines without a spinner on a pipe', () => {
    const { steps: list, stdout } = createSteps({});
    runSteps(list);
    expect(stdout.text).toBe('✓ one\n✓ two\n✓ three\n');
  });

  it('are records with --json', () => {
    const { steps: list, stdout } = createSteps({ json: true });
    runSteps(list);
    expect(stdout.lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      ['one', 'two', 'three'].map((message) => ({ kind: 'step', message })),
    );
  });

  it('stay above the spinner on a terminal, which is removed at the end', () => {
    const { steps: list, stdout } = createSteps({ columns: 80 });
    runSteps(list);
    const back = '\u001b[1A\r\u001b[J';
    expect(stdout.text).toBe(`✓ one\n\u001b[?25l⠋ waiting\n${back}✓ two\n⠋ waiting\n${back}\u001b[?25h✓ three\n`);
  });
});
