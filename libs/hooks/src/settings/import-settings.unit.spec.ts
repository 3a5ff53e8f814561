import { describe, expect, it } from 'vitest';
import { importSettings } from './import-settings.js';

const command = (more: object = {}) => ({ type: 'command', command: 'check.sh', ...more });
const one = (event: string, handler: object, matcher?: unknown) =>
  importSettings({ hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }] } });

describe('import of a settings file', () => {
  it('reads the events with a wrapper, with the description of a plugin, and without any', () => {
    const events = { PreToolUse: [{ matcher: 'Write', hooks: [command()] }] };
    const expected = [
      {
        name: 'PreToolUse-1',
        point: 'PreToolUse',
        matcher: 'Write',
        kind: 'command',
        command: 'check.sh',
        shell: 'sh',
        timeoutSeconds: 10,
        onFailure: 'deny',
        observes: false,
      },
    ];
    for (const settings of [{ hooks: events, model: 'x' }, { description: 'a plugin', hooks: events }, events])
      expect(importSettings(settings)).toMatchObject({ handlers: expected, problems: [], unsupported: [] });
  });

  it('reads both forms of a matcher', () => {
    expect(one('PreToolUse', command(), { tool_name: 'Write' }).handlers[0]).toMatchObject({ matcher: 'Write' });
    expect(one('PreToolUse', command(), 'Write|Edit').handlers[0]).toMatchObject({ matcher: 'Write|Edit' });
    expect(one('PreToolUse', command(), { tool_name: 'Write', path: 'x' }).problems).toEqual([
      { place: 'hooks.PreToolUse[0]', message: expect.stringContaining('matcher') },
    ]);
  });

  it('gives hooks the time of their hook point, or their own', () => {
    const seconds = (event: string, more?: object) => one(event, command(more)).handlers[0]!.timeoutSeconds;
    expect(['PreToolUse', 'Stop', 'SubagentStop', 'TaskCompleted'].map((event) => seconds(event))).toEqual([
      10, 600, 600, 600,
    ]);
    expect(seconds('PreToolUse', { timeout: 2.5 })).toBe(2.5);
  });

  it('fails closed unless a handler says otherwise', () => {
    const onFailure = (more?: object) => one('PreToolUse', command(more)).handlers[0];
    expect(onFailure()).toMatchObject({ onFailure: 'deny' });
    expect(onFailure({ onFailure: 'block' })).toMatchObject({ onFailure: 'deny' });
    expect(onFailure({ onFailure: 'continue' })).toMatchObject({ onFailure: 'continue' });
  });

  it.each([
    ['FileChanged', command(), /never fires here: no program watches/],
    ['PreToolUse', { type: 'http', url: 'https://x' }, /http handlers are not supported/],
    ['PreToolUse', { type: 'mcp_tool', server: 's', tool: 't' }, /mcp_tool handlers are not supported/],
    ['PreToolUse', command({ shell: 'powershell' }), /shell 'powershell' is not available/],
    ['Stop', command({ if: 'Bash(git *)' }), /never runs at Stop/],
    ['PreToolUse', command({ if: 'git *' }), /no permission rule/],
    ['SessionStart', { type: 'prompt', prompt: 'p' }, /no model is asked at SessionStart/],
  ] as const)('names what never fires: %s %j', (event, handler, message) => {
    const imported = one(event, handler);
    expect(imported.handlers).toEqual([]);
    expect(imported.unsupported.map((note) => note.message)).toEqual([expect.stringMatching(message)]);
    expect(imported.problems).toEqual([]);
  });

  it.each([
    [null, /object with the names of events/],
    [{ permissions: {} }, /object with the names of events/],
    [{ hooks: { PreToolUse: {} } }, /object with the names of events/],
    [{ hooks: { PreTool: [] } }, /no event 'PreTool'/],
    [{ hooks: { PreToolUse: [{ matcher: '(', hooks: [command()] }] } }, /not a valid regular expression/],
    [{ hooks: { PreToolUse: [{ hooks: [{ type: 'command' }] }] } }, /command/],
    [{ hooks: { PreToolUse: [{ hooks: [{ type: 'script' }] }] } }, /type/],
    [{ hooks: { PreToolUse: [] }, env: { 'A B': 'x' } }, /names of variables/],
  ])('names what is invalid: %j', (settings, message) => {
    expect(importSettings(settings).problems.map((note) => note.message)).toEqual([expect.stringMatching(message)]);
  });

  it('makes judges of prompts and agents', () => {
    const imported = one('Stop', { type: 'agent', prompt: 'Are the tests green? $ARGUMENTS', model: 'small' });
    expect(imported.handlers).toEqual([
      {
        ...{ name: 'Stop-1', point: 'Stop', kind: 'judge', prompt: 'Are the tests green? $ARGUMENTS' },
        ...{ model: 'small', timeoutSeconds: 60 },
      },
    ]);
    expect(imported.notes[0]?.message).toMatch(/can only refuse and has no tools/);
    expect(imported.unsupported[0]?.message).toMatch(/jobs do not ask the agent of a hook yet/);
  });

  it('says what works differently: asynchronous hooks, once, and a matcher that is ignored', () => {
    expect(one('PostToolUse', command({ async: true })).handlers[0]).toMatchObject({ observes: true });
    expect(one('PostToolUse', command({ asyncRewake: true })).notes[0]?.message).toMatch(/only observes/);
    expect(one('PreToolUse', command({ once: true })).notes[0]?.message).toMatch(/runs each time/);
    expect(one('Stop', command(), 'Bash').notes[0]?.message).toMatch(/Stop has no matcher/);
  });

  it('keeps the variables of the file, and does not let it switch its hooks off', () => {
    const imported = importSettings({ hooks: {}, env: { MODE: 'strict' }, disableAllHooks: true });
    expect(imported.environment).toEqual({ MODE: 'strict' });
    expect(imported.unsupported[0]?.place).toBe('disableAllHooks');
  });
});
