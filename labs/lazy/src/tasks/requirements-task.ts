import type { SeededRandom } from '@phaseline/harness';
import { completeTodo, readFile, renderJson, writeFile } from '../script/call.js';
import { createRequirementsTruth, getExtractPath, REQUIREMENTS } from '../truth/requirements-truth.js';
import { generateDescription, generateObligations, type Sentence } from './sentences.js';
import type { Task } from './task.js';

export interface RequirementsTask extends Task {
  readonly sentences: readonly (Sentence & { readonly path: string })[];
}

export interface RequirementItem {
  readonly id: string;
  readonly text: string;
  readonly path: string;
  readonly quote: string;
  readonly days: number;
}

/** Item of the list for a sentence. */
export const describeRequirement = (
  { quote, days, subject, path }: RequirementsTask['sentences'][number],
  index: number,
): RequirementItem => ({
  id: `REQ-${index + 1}`,
  text: `${subject[0]!.toUpperCase()}${subject.slice(1)} have a deadline of ${days} days.`,
  path,
  quote,
  days,
});

/** The task to list every obligation of two or three documents, each with a citation. */
export function generateRequirementsTask(random: SeededRandom): RequirementsTask {
  const names = ['policy', 'handbook', 'annex'].slice(0, random.between(2, 3));
  const all = generateObligations(random, names.length * 3);
  const sentences = all.map((sentence, index) => ({
    ...sentence,
    path: `documents/${names[index % names.length]!}.md`,
  }));
  const documents = names.map((name) => {
    const path = `documents/${name}.md`;
    const own = sentences.filter((sentence) => sentence.path === path);
    const paragraphs = own.map(({ quote }) => `${generateDescription(random)} ${quote}`);
    return { path, content: [`# The ${name}`, ...paragraphs, ''].join('\n\n') };
  });
  const extracts = documents.map(({ path }) => {
    const output = getExtractPath(path);
    const items = sentences.filter((sentence) => sentence.path === path).map(({ quote, days }) => ({ quote, days }));
    return {
      output,
      content: `Read ${path} and write each sentence with a deadline to ${output}, with quote and days.`,
      work: [[readFile(path)], [writeFile(output, renderJson(items)), completeTodo(`${items.length} sentences`)]],
    };
  });
  return {
    name: 'requirements',
    agent: 'requirements-lister',
    sentences,
    documents,
    files: [],
    outputs: [REQUIREMENTS],
    instructions: `List every sentence of the documents that obliges with a deadline in ${REQUIREMENTS}.\n`,
    todos: [
      ...extracts,
      {
        output: REQUIREMENTS,
        content: `Join the lists in work/ to ${REQUIREMENTS}, with id, text, path, quote and days of each.`,
        work: [
          extracts.map(({ output }) => readFile(output)),
          [writeFile(REQUIREMENTS, renderJson(sentences.map(describeRequirement))), completeTodo()],
        ],
      },
    ],
    truth: createRequirementsTruth(new Map(documents.map(({ path, content }) => [path, content]))),
  };
}
