import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readTextFile, readYamlFile, checkValue, readYaml, InvalidDefinitions } from '@phaseline/definitions';
import type { JobDocument } from '@phaseline/orchestration';
import { caseSchema, recordedAnswersSchema, type CaseDefinition, type ScriptedAnswer } from './case-schema.js';

export const CASE_FILE = 'case.yaml';

/** Maximum size of a file of recorded answers. */
const MAX_ANSWERS_BYTES = 4 * 1024 * 1024;

/** A case with its files. */
export interface LoadedCase {
  readonly definition: CaseDefinition;
  readonly file: string;
  readonly answers: readonly ScriptedAnswer[];
  readonly documents: readonly JobDocument[];
}

/** Lists the files of the cases in a folder: its own case, or one per folder in it, in the order of their names. */
export async function findCaseFiles(folder: string): Promise<readonly string[]> {
  const own = join(folder, CASE_FILE);
  if (existsSync(own)) return [own];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name, CASE_FILE))
    .filter((file) => existsSync(file))
    .sort();
}

/** Loads a case with the files beside it. Throws InvalidDefinitions; each problem names the file and the member. */
export async function loadCase(file: string): Promise<LoadedCase> {
  const folder = dirname(file);
  const { value: definition, problemAt } = await readYamlFile(file, caseSchema, { within: folder });
  const { script, recorded } = definition.model;
  const answers = script ?? (await readAnswers(join(folder, recorded!), folder));
  const documents = await Promise.all(
    (definition.documents ?? []).map(async ({ name, content, file: given }, index) => {
      if (given === undefined) return { name, content: Buffer.from(content ?? '') };
      const bytes = await readFile(join(folder, given)).catch((cause: unknown) => {
        const problem = problemAt(['documents', index, 'file'], `documents[${index}].file: there is no file ${given}`);
        throw new InvalidDefinitions([problem], { cause });
      });
      return { name, content: bytes };
    }),
  );
  return { definition, file, answers, documents };
}

async function readAnswers(file: string, within: string): Promise<readonly ScriptedAnswer[]> {
  const { value, problemAt } = readYaml(await readTextFile(file, { maxBytes: MAX_ANSWERS_BYTES, within }), file);
  return checkValue(value, recordedAnswersSchema, problemAt);
}
