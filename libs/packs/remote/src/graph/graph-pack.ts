import type { ToolPack } from '@phaseline/tools';
import { assessFulfillment } from './assess-fulfillment.js';
import { createFulfillmentRelationship, createRequirementNode } from './create-tools.js';
import { executeCypherQuery, executeCypherUpdate } from './cypher-tools.js';
import {
  checkForDuplicates,
  findSimilarRequirements,
  generateRequirementId,
  getEntityRelationships,
  resolveBusinessObject,
  resolveMessage,
} from './find-tools.js';
import type { GraphHost } from './graph-host.js';
import { countGraphStatistics, getDatabaseSchema, validateSchemaCompliance } from './schema-tools.js';

/** Creates the pack for a graph of requirements and what fulfils them. Without a host, it only describes its tools. */
export function createGraphPack(host?: GraphHost): ToolPack {
  const makers = [
    executeCypherQuery,
    executeCypherUpdate,
    getDatabaseSchema,
    findSimilarRequirements,
    checkForDuplicates,
    resolveBusinessObject,
    resolveMessage,
    validateSchemaCompliance,
    createRequirementNode,
    createFulfillmentRelationship,
    generateRequirementId,
    getEntityRelationships,
    countGraphStatistics,
    assessFulfillment,
  ];
  return { name: 'graph', tools: makers.map((make) => make(host)) };
}
