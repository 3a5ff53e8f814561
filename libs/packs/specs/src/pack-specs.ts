import type { PackSpec } from '@phaseline/contracts';
import { cacheSpec } from './cache.js';
import { citationsSpec } from './citations.js';
import { commandsSpec } from './commands.js';
import { discoverySpec } from './discovery.js';
import { documentsSpec } from './documents.js';
import { featuresSpec } from './features.js';
import { graphSpec } from './graph.js';
import { learningSpec } from './learning.js';
import { mcpSpec } from './mcp.js';
import { memorySpec } from './memory.js';
import { delegationSpec } from './delegation.js';
import { peopleSpec } from './people.js';
import { planningSpec, schedulingSpec } from './planning.js';
import { planRunSpec } from './plan-run.js';
import { repositorySpec } from './repository.js';
import { scriptsSpec } from './scripts.js';
import { searchSpec } from './search.js';
import { skillsSpec } from './skills.js';
import { todosSpec } from './todos.js';
import { vectorsSpec } from './vectors.js';
import { workspaceSpec } from './workspace.js';

/** The shipped packs, in the order of `docs/reference/tools.md`. */
export const packSpecs: readonly PackSpec[] = [
  workspaceSpec,
  todosSpec,
  memorySpec,
  discoverySpec,
  skillsSpec,
  scriptsSpec,
  peopleSpec,
  delegationSpec,
  featuresSpec,
  documentsSpec,
  citationsSpec,
  searchSpec,
  commandsSpec,
  repositorySpec,
  mcpSpec,
  learningSpec,
  cacheSpec,
  graphSpec,
  vectorsSpec,
  planningSpec,
  schedulingSpec,
  planRunSpec,
];
