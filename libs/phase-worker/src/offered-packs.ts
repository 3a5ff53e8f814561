import { graphPack } from '@phaseline/graph';
import { mcpPack } from '@phaseline/mcp';
import {
  cachePack,
  citationsPack,
  commandsPack,
  discoveryPack,
  documentsPack,
  memoryPack,
  scriptsPack,
  searchPack,
  skillsPack,
  todosPack,
  workspacePack,
  type ToolPack,
} from '@phaseline/tools';
import { vectorsPack } from '@phaseline/vectors';

/**
 * The packs that workers offer. A worker runs only inline tools. Of the others it needs only their parameters, which
 * need no configuration.
 */
export const offeredPacks: readonly ToolPack[] = [
  workspacePack,
  todosPack,
  memoryPack,
  discoveryPack,
  skillsPack,
  scriptsPack,
  documentsPack,
  citationsPack,
  searchPack(),
  commandsPack,
  mcpPack(),
  cachePack(),
  graphPack(),
  vectorsPack(),
];
