import {
  buildProgramEnvironment,
  coldStorageVariables,
  readProgramMessages,
  type MessageProgram,
} from '@phaseline/basics/processes';
import { findAppMain } from '../stack/project-files.js';

/** Variables of this process that every such program may need, to read the log. */
const PASSED_ON = [
  ...['HOME', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'],
  ...coldStorageVariables,
];

interface EngineProgram<Message> extends Omit<MessageProgram<Message>, 'arguments' | 'env'> {
  readonly program: Parameters<typeof findAppMain>[0];
  /** Variables that it gets, and the names of further ones of this process. */
  readonly variables: Readonly<Record<string, string>>;
  readonly passedOn?: readonly string[];
}

/**
 * Runs a program that loads the engine, which this one does not, and yields the messages that it prints, one per line. Throws NotBuilt, the error of
 * `fail`, or the reason of the signal.
 */
export async function* runEngineProgram<Message>({
  program,
  variables,
  passedOn = [],
  ...rest
}: EngineProgram<Message>): AsyncGenerator<Message, void, undefined> {
  const env = buildProgramEnvironment(variables, [...PASSED_ON, ...passedOn]);
  yield* readProgramMessages({ ...rest, arguments: [await findAppMain(program)], env });
}
