import { text } from 'node:stream/consumers';
import { caseRequestSchema, type CaseMessage } from '@phaseline/contracts';
import { InvalidDefinitions, formatProblem } from '@phaseline/definitions';
import { addCase } from './add-case.js';
import { runCases } from './run-cases.js';

const request = caseRequestSchema.parse(JSON.parse(await text(process.stdin)));
try {
  if (request.kind === 'add') print(await addCase(request, process.env));
  else for await (const message of runCases(request, process.env)) print(message);
} catch (error) {
  if (!(error instanceof InvalidDefinitions)) throw error;
  print({ kind: 'invalid', problems: error.problems.map(formatProblem) });
}

function print(message: CaseMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
