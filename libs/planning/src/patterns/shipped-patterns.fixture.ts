import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { patternDefinitionSchema, type PatternDefinition } from './pattern-definition.js';

const folder = join(import.meta.dirname, '../../../../agents/planner/patterns');

/** Reads the patterns of the shipped planner. */
export function readShippedPatterns(): readonly PatternDefinition[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => patternDefinitionSchema.parse(load(readFileSync(join(folder, name), 'utf8'))));
}
