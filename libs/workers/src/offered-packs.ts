import {
  createGraphPack,
  createMcpPack,
  cachePack,
  commandsPack,
  documentsPack,
  searchPack,
  createVectorsPack,
} from '@phaseline/remote-packs';
import {
  citationsPack,
  discoveryPack,
  memoryPack,
  scriptsPack,
  skillsPack,
  todosPack,
  workspacePack,
} from '@phaseline/inline-packs';
import { type ToolPack } from '@phaseline/tools';

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
  createMcpPack(),
  cachePack(),
  createGraphPack(),
  createVectorsPack(),
];
