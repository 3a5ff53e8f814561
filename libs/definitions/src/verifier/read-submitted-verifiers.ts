import { submittedVerifiersSchema, type SubmittedVerifiers } from '@phaseline/contracts';
import { readYamlFile } from '../yaml/read-yaml-file.js';

/** Reads the verifiers of a submission from a YAML or JSON file. Throws InvalidDefinitions with the place of each problem. */
export async function readSubmittedVerifiers(file: string): Promise<SubmittedVerifiers> {
  return (await readYamlFile(file, submittedVerifiersSchema, {})).value;
}
