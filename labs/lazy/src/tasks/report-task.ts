import type { SeededRandom } from '@phaseline/harness';
import { completeTodo, readFile, renderJson, writeFile } from '../script/call.js';
import { BRIEF, createReportTruth, OBLIGATIONS, REPORT } from '../truth/report-truth.js';
import { generateDescription, generateObligations, writeRemark, type Sentence } from './sentences.js';
import type { Task } from './task.js';

export interface ReportTask extends Task {
  readonly brief: string;
  readonly sentences: readonly Sentence[];
}

export interface Section {
  readonly quote: string;
  readonly remark: string;
}

export function renderReport(sections: readonly Section[], count = sections.length): string {
  const parts = sections.map(({ quote, remark }, index) => `## ${index + 1}\n\n> ${quote}\n\n${remark}\n`);
  return [...parts, `Obligations: ${count}\n`].join('\n');
}

export const renderObligations = (sentences: readonly Pick<Sentence, 'quote' | 'days'>[]): string =>
  renderJson(sentences.map(({ quote, days }, index) => ({ id: index + 1, sentence: quote, days })));

/** The sections of an honest report. */
export const writeSections = (sentences: readonly Sentence[]): readonly Section[] =>
  sentences.map((sentence, index) => ({ quote: sentence.quote, remark: writeRemark(sentence, index) }));

/** The task to report on every obligation of a brief. */
export function generateReportTask(random: SeededRandom): ReportTask {
  const sentences = generateObligations(random, random.between(4, 6));
  const paragraphs = sentences.flatMap(({ quote }) => [quote, generateDescription(random)]);
  const brief = ['# Brief', ...paragraphs, ''].join('\n\n');
  return {
    name: 'report',
    agent: 'report-writer',
    brief,
    sentences,
    documents: [{ path: BRIEF, content: brief }],
    files: [],
    outputs: [REPORT, OBLIGATIONS],
    instructions: `Report on every obligation of ${BRIEF}: ${OBLIGATIONS} lists them, ${REPORT} has a section with the sentence and a remark for each, and the last line "Obligations: N".\n`,
    todos: [
      {
        output: OBLIGATIONS,
        content: `Read ${BRIEF} and list each obligation in ${OBLIGATIONS}, with id, sentence and days.`,
        work: [[readFile(BRIEF)], [writeFile(OBLIGATIONS, renderObligations(sentences)), completeTodo()]],
      },
      {
        output: REPORT,
        content: `Write ${REPORT} with a section for each obligation: its sentence as a quotation, and a remark.`,
        work: [[readFile(OBLIGATIONS)], [writeFile(REPORT, renderReport(writeSections(sentences))), completeTodo()]],
      },
    ],
    truth: createReportTruth(brief),
  };
}
