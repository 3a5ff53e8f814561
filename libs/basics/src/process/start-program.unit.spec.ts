import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { recordInheritance, type InheritanceRecord } from '@phaseline/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildProgramEnvironment, runProgram, runProgramSync, startProgram } from './start-program.js';

let record: InheritanceRecord;
beforeEach(() => {
  record = recordInheritance();
  process.env['SECRET_OF_SERVICE'] = 'value';
});
afterEach(() => {
  record.end();
  delete process.env['SECRET_OF_SERVICE'];
});

it('a program gets the variables that it is given, and none of this process', async () => {
  const env = buildProgramEnvironment({ GIVEN: 'yes' });
  const expected = ['GIVEN=yes', 'LANG=C.UTF-8', expect.stringMatching(/^PATH=.*\/usr\/bin/), 'TZ=UTC'];
  const linesOf = (text: string): readonly string[] => text.trim().split('\n').sort();
  expect(linesOf((await runProgram('env', [], { env })).stdout)).toEqual(expected);
  expect(linesOf(runProgramSync('env', [], { env, cwd: '/', timeout: 60_000 }))).toEqual(expected);
  const child = startProgram('env', [], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  expect(linesOf(output)).toEqual(expected);
  expect(record.listHeirs()).toEqual([]);
});

it('a variable of this process is passed on by name only', () => {
  expect(buildProgramEnvironment({}, ['SECRET_OF_SERVICE', 'NOT_SET'])).toMatchObject({ SECRET_OF_SERVICE: 'value' });
  expect(buildProgramEnvironment()).not.toHaveProperty('SECRET_OF_SERVICE');
});

it('a program without an environment of its own would be noticed', () => {
  execFileSync('true', []);
  expect(record.listHeirs()).toHaveLength(1);
});
