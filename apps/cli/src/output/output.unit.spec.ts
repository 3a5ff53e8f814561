import { describe, expect, it } from 'vitest';
import { FakeStream } from '../testing/fake-streams.js';
import { LiveArea } from './live-area.js';
import { Output } from './output.js';

function createOutput(options: { columns?: number; env?: NodeJS.ProcessEnv; json?: boolean; color?: boolean } = {}): {
  out: Output;
  stdout: FakeStream;
  stderr: FakeStream;
} {
  const stdout = new FakeStream(options.columns);
  const stderr = new FakeStream(options.columns);
  return {
    out: new Output({
      stdout,
      stderr,
      env: options.env ?? {},
      json: options.json ?? false,
      color: options.color ?? true,
    }),
    stdout,
    stderr,
  };
}

describe('the output', () => {
  it('drops the rest if its reader goes away, and signals that to commands', async () => {
    const { out, stdout } = createOutput();
    out.writeLines('one');
    stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(out.closedSignal.aborted).toBe(true);
    out.writeLines('two');
    await out.flush();
    expect(stdout.text).toBe('one\n');
  });

  it('writes no codes for a terminal, in the same document', async () => {
    const text = 'a\u001b]0;title\u0007\u001b[2J\u009b31m\u007f\u202eb';
    const { out, stdout } = createOutput({ columns: 80, json: true });
    out.writeRecord({ text });
    out.writeDocument({ text });
    await out.flush();
    const [record, ...document] = stdout.text.split('\n');
    expect(stdout.text).toMatch(/^[\n\x20-\x7e]+$/);
    expect([JSON.parse(record!), JSON.parse(document.join(''))]).toEqual([{ text }, { text }]);
  });

  it('shows the content of a file on a terminal without codes, and passes it on unchanged to programs', async () => {
    const content = Buffer.from('+a\u001b[2J\u009b31m\n\tb\n');
    const terminal = createOutput({ columns: 80 });
    const pipe = createOutput();
    for (const { out } of [terminal, pipe]) {
      out.writeFile(content);
      await out.flush();
    }
    expect(terminal.stdout.text).toBe('+a·[2J·31m\n\tb\n');
    expect(pipe.stdout.text).toBe(content.toString());
  });

  it('ignores errors of standard error', async () => {
    const { out, stderr } = createOutput();
    stderr.destroy(new Error('write EPIPE'));
    await new Promise((resolve) => setImmediate(resolve));
    out.writeMessage('still here');
    await out.flush();
    expect(out.closedSignal.aborted).toBe(false);
  });

  it('writes records on one line and documents on several', () => {
    const { out, stdout } = createOutput({ json: true });
    out.writeRecord({ a: 1 });
    out.writeDocument({ b: 2 });
    expect(stdout.text).toBe('{"a":1}\n{\n  "b": 2\n}\n');
  });

  it.each([
    ['a terminal', { columns: 80 }, true],
    ['a pipe', {}, false],
    ['a terminal with --no-color', { columns: 80, color: false }, false],
    ['a terminal with NO_COLOR', { columns: 80, env: { NO_COLOR: '1' } }, false],
    ['a terminal with an empty NO_COLOR', { columns: 80, env: { NO_COLOR: '' } }, true],
    ['a dumb terminal', { columns: 80, env: { TERM: 'dumb' } }, false],
    ['a pipe with FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, true],
    ['a terminal with --json', { columns: 80, json: true }, false],
  ])('decides on colours for %s: %o → %s', (_name, options, hasColours) => {
    expect(createOutput(options).out.paint.red('x') !== 'x').toBe(hasColours);
  });
});

describe('the live area', () => {
  it('redraws exactly its own lines, and shows the cursor again', () => {
    const { out, stdout } = createOutput({ columns: 80 });
    const live = new LiveArea(out);
    live.draw(['one', 'two']);
    live.draw(['three']);
    live.end();
    expect(stdout.text).toBe('\u001b[?25lone\ntwo\n\u001b[2A\r\u001b[Jthree\n\u001b[?25h');
  });

  it('writes nothing if nothing has changed', () => {
    const { out, stdout } = createOutput({ columns: 80 });
    const live = new LiveArea(out);
    live.draw(['one']);
    const before = stdout.text;
    live.draw(['one']);
    expect(stdout.text).toBe(before);
  });

  it('shows messages above the live lines', () => {
    const { out, stdout, stderr } = createOutput({ columns: 80 });
    const live = new LiveArea(out);
    live.draw(['bar']);
    out.writeMessage('a service died');
    live.end();
    out.writeMessage('afterwards');
    expect(stdout.text).toBe('\u001b[?25lbar\n\u001b[1A\r\u001b[Ja service died\nbar\n\u001b[?25h');
    expect(stderr.text).toBe('afterwards\n');
  });
});
