import type { SeededRandom } from '@phaseline/harness';
import { codeKinds } from '../list/code-kinds.js';
import { contentKinds } from '../list/content-kinds.js';
import type { KindEntry } from '../list/kind-entry.js';
import { featureKinds } from '../list/feature-kinds.js';
import { planningKinds } from '../list/planning-kinds.js';
import type { FeatureScript } from '../script/feature-script.js';
import type { Script } from '../script/script.js';
import type { Tasks } from '../tasks/generate-task.js';
import type { Task } from '../tasks/task.js';
import { codePlays } from './code-plays.js';
import { contentPlays } from './content-plays.js';
import { featurePlays } from './feature-plays.js';
import { planningPlays } from './planning-plays.js';

/** A kind of pretending model that can be run. */
export interface Kind extends KindEntry {
  readonly name: string;
  readonly task: keyof Tasks;
  /** Turns the honest script of the task into that of the kind. Both are of the type that the task needs. */
  readonly play: <AnyScript extends Script | FeatureScript>(
    honest: AnyScript,
    task: Task,
    random: SeededRandom,
  ) => AnyScript;
}

const listKinds = (table: Readonly<Record<string, KindEntry>>, plays: object): readonly Kind[] =>
  Object.entries(table).map(([name, entry]) => ({
    ...entry,
    name,
    task: entry.task as keyof Tasks,
    // Each play expects the task that its entry names, which is the one that it is called with.
    play: (plays as Readonly<Record<string, Kind['play']>>)[name]!,
  }));

export const kinds: readonly Kind[] = [
  ...listKinds(planningKinds, planningPlays),
  ...listKinds(contentKinds, contentPlays),
  ...listKinds(codeKinds, codePlays),
  ...listKinds(featureKinds, featurePlays),
];
