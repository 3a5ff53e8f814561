import { graphSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { assessFulfillment } from './assess-fulfillment.js';
import { createFulfillmentRelationship, createRequirementNode } from './create-tools.js';
import { executeCypherQuery, executeCypherUpdate } from './cypher-tools.js';
import { extractEntityMentions } from './extract-entity-mentions.js';
import {
  checkForDuplicates,
  findSimilarRequirements,
  generateRequirementId,
  getEntityRelationships,
  resolveMention,
} from './find-tools.js';
import type { GraphHost } from './graph-host.js';
import { countGraphStatistics, getDatabaseSchema, validateSchemaCompliance } from './schema-tools.js';

/** Creates the pack for a graph of requirements and what fulfils them. */
export function createGraphPack(host: GraphHost): ToolPack {
  return implementPack(graphSpec, {
    execute_cypher_query: executeCypherQuery(host),
    execute_cypher_update: executeCypherUpdate(host),
    get_database_schema: getDatabaseSchema(host),
    find_similar_requirements: findSimilarRequirements(host),
    check_for_duplicates: checkForDuplicates(host),
    resolve_business_object: resolveMention(host, 'BusinessObject', 'business object'),
    resolve_message: resolveMention(host, 'Message', 'message'),
    validate_schema_compliance: validateSchemaCompliance(host),
    create_requirement_node: createRequirementNode(host),
    create_fulfillment_relationship: createFulfillmentRelationship(host),
    generate_requirement_id: generateRequirementId(host),
    get_entity_relationships: getEntityRelationships(host),
    count_graph_statistics: countGraphStatistics(host),
    assess_fulfillment: assessFulfillment(host),
    extract_entity_mentions: extractEntityMentions(host),
  });
}
