import { describe, expect, it } from 'vitest';
import type { CommandHandler } from './hook-handler.js';
import { importSettings } from './import-settings.js';
import { compileMatcher } from './matcher.js';
import { selectHandlers, type MatchedInput } from './select-handlers.js';

const ROOT = '/workspace';

function select(hooks: object, input: Record<string, unknown>): string[] {
  const handlers = importSettings({ hooks }).handlers.filter((one): one is CommandHandler => one.kind === 'command');
  return selectHandlers(handlers, { cwd: ROOT, ...input } as MatchedInput, ROOT).map(({ name }) => name);
}

const matches = (matcher: string | undefined, value: string): boolean => {
  const compiled = compileMatcher(matcher);
  if (typeof compiled !== 'function') throw new Error(compiled.problem);
  return compiled(value);
};

describe('matchers', () => {
  it.each([
    [undefined, 'Bash', true],
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'bash', false],
    ['Bash', 'BashOutput', false],
    ['Write|Edit', 'Edit', true],
    ['Write, Edit', 'Edit', true],
    ['Write | Edit', 'Edit', true],
    ['mcp__memory__store', 'mcp__memory__store', true],
    ['mcp__memory__.*', 'mcp__memory__store', true],
    ['Notebook.*', 'MyNotebookEdit', true],
    ['^Read$', 'Read', true],
    ['^Read$', 'ReadMany', false],
    ['^(?!Bash$).*', 'Bash', false],
    ['^(?!Bash$).*', 'Write', true],
    ['(Write|Edit)(?=$)', 'Edit', true],
    [String.raw`(\w)\1`, 'Sleep', true],
    ['[Ww]rite.', 'Write', false],
    ['^.{4}$', 'Bash', true],
  ])('%j matches %j: %j', (matcher, value, expected) => {
    expect(matches(matcher, value)).toBe(expected);
  });

  it('runs the hook when an expression would take for ever', () => {
    expect(matches('^(?=a)(a+)+$', `${'a'.repeat(60)}!`)).toBe(true);
    // The same without a look-ahead is matched in linear time, and does not match.
    expect(matches('^(a+)+$', `${'a'.repeat(60)}!`)).toBe(false);
  });
});

describe('the handlers that an input fires', () => {
  const command = (more: object = {}) => ({ type: 'command', command: 'check.sh', ...more });
  const bash = (line: string) => ({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: line },
  });
  const fires = (condition: string, input: Record<string, unknown>): boolean =>
    select({ PreToolUse: [{ hooks: [command({ if: condition })] }] }, input).length > 0;

  it('are those of its event and matcher, and identical ones run once', () => {
    const hooks = {
      PreToolUse: [
        { matcher: 'Bash', hooks: [command(), command({ timeout: 3 })] },
        { matcher: '*', hooks: [command()] },
        { matcher: 'Write', hooks: [command()] },
      ],
      Stop: [{ matcher: 'nothing', hooks: [command()] }],
      SubagentStop: [{ matcher: 'tester-agent', hooks: [command()] }],
    };
    expect(select(hooks, bash('ls'))).toEqual(['PreToolUse-1', 'PreToolUse-2']);
    expect(select(hooks, { hook_event_name: 'Stop' })).toEqual(['Stop-1']);
    expect(select(hooks, { hook_event_name: 'SubagentStop', agent_type: 'tester-agent' })).toEqual(['SubagentStop-1']);
    expect(select(hooks, { hook_event_name: 'SubagentStop', agent_type: 'other' })).toEqual([]);
  });

  it.each([
    ['Bash', 'ls', true],
    ['Bash(*)', 'ls', true],
    ['Bash(git status)', 'git status', true],
    ['Bash(git status)', 'git status -s', false],
    ['Bash(git *)', 'git push', true],
    ['Bash(git *)', 'git', true],
    ['Bash(git *)', 'gitk', false],
    ['Bash(git:*)', 'git push', true],
    ['Bash(git*)', 'gitk', true],
    ['Bash(git * main)', 'git push origin main', true],
    ['Bash(* --force)', 'git push --force', true],
    ['Bash(rm *)', 'cd x && rm -rf y', true],
    ['Bash(rm *)', 'echo rm -rf y', false],
    ['Bash(rm *)', 'echo "$(rm -rf y)"', true],
    ['Bash(rm *)', 'echo `rm -rf y`', true],
    ['Bash(rm *)', "echo '$(rm -rf y)'", false],
    ['Bash(rm *)', '(cd x; rm y)', true],
    ['Bash(rm *)', 'true | rm y', true],
    ['Bash(rm *)', 'FORCE=1 LANG=C rm y', true],
    ['Bash(rm *)', 'timeout 5 nice -n 3 rm y', true],
    ['Bash(rm *)', "'rm' y", true],
    ['Bash(rm *)', 'cat <(rm y)', true],
    ['Bash(rm *)', 'echo "open', true],
    ['Bash(rm *)', 'for f in *; do ls; done', true],
    ['Bash(rm *)', 'cat <<EOF\nEOF', true],
    ['Bash(rm *)', 'ls > rm', false],
    ['Write', 'ls', false],
  ])('with if %j and the command %j: %j', (condition, line, expected) => {
    expect(fires(condition, bash(line))).toBe(expected);
  });

  it.each([
    ['Edit(*.ts)', 'Edit', { file_path: `${ROOT}/src/a.ts` }, true],
    ['Edit(*.ts)', 'Write', { file_path: `${ROOT}/src/a.ts` }, true],
    ['Edit(src/**)', 'Write', { file_path: `${ROOT}/src/deep/a.ts` }, true],
    ['Edit(/src/*)', 'Write', { file_path: `${ROOT}/lib/src/a.ts` }, false],
    ['Edit(./src)', 'Write', { file_path: `${ROOT}/src/a.ts` }, true],
    ['Edit(src/**/a.ts)', 'Write', { file_path: `${ROOT}/src/a.ts` }, true],
    ['Read(//etc/**)', 'Read', { file_path: '/etc/hosts' }, true],
    ['Read(.env)', 'Read', { file_path: `${ROOT}/deep/.env` }, true],
    ['Read(.env)', 'Read', { file_path: `${ROOT}/deep/.env.example` }, false],
    ['Read(src/**)', 'Grep', { pattern: 'x', path: `${ROOT}/src` }, true],
    ['Read(.env)', 'Write', { file_path: `${ROOT}/.env` }, false],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com/a' }, true],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com.evil.org/' }, false],
    ['WebFetch(domain:*.example.com)', 'WebFetch', { url: 'https://a.example.com/' }, true],
    ['mcp__memory', 'mcp__memory__store', {}, true],
    ['mcp__memory__*', 'mcp__memory__store', {}, true],
    ['mcp__mem', 'mcp__memory__store', {}, false],
    ['Agent(explorer)', 'Agent', { subagent_type: 'explorer' }, true],
    ['Agent(explorer)', 'Agent', { subagent_type: 'writer' }, false],
  ])('with if %j and %s %j: %j', (condition, tool, input, expected) => {
    expect(fires(condition, { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input })).toBe(expected);
  });
});
