import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { Output } from '../output/output.js';
import { buildProgram } from './build-program.js';
import { commandRequirements } from './command-requirements.js';

/** Names of all commands that do something, such as `files list`. */
function listCommands(command: Command, before = ''): readonly string[] {
  return command.commands.flatMap((child) => {
    const name = `${before}${child.name()}`;
    // Commander has no public way to tell a command with an action from one that only groups others.
    const hasAction = Reflect.get(child, '_actionHandler') !== null;
    return [...(hasAction ? [name] : []), ...listCommands(child, `${name} `)];
  });
}

it('every command declares the right that it needs, and each declaration has a command', () => {
  const out = new Output({ stdout: new PassThrough(), stderr: new PassThrough(), env: {}, color: false });
  const commands = listCommands(buildProgram(out, async () => {}));
  expect(commands).toContain('files list');
  expect([...commands].sort()).toEqual(Object.keys(commandRequirements).sort());
});
