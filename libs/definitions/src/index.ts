export {
  formatComplaint,
  InvalidDefinitions,
  UnknownDefinition,
  UnusableAgent,
  type Complaint,
  type DefinitionKind,
} from './definition-errors.js';
export { DefinitionSet, type Loaded } from './definition/definition-set.js';
export { contentHash } from './definition/content-hash.js';
export { definitionPath, foldersOf, type DefinitionPath } from './definition/definition-path.js';
export {
  loadDefinitions,
  loadModelProfiles,
  tryDefinitions,
  type Definitions,
  type LoadOptions,
  type TriedDefinitions,
} from './definition/load-definitions.js';
export type { LoadedAgent } from './agent/load-agent.js';
export { nearMatches } from './definition/near-matches.js';
export type { Variables } from './yaml/fill-placeholders.js';
export { parseYaml, type ParsedYaml, type YamlOptions } from './yaml/parse-yaml.js';
export { readYamlFile, type ReadYamlOptions } from './yaml/read-yaml-file.js';
export { agentJsonSchema } from './agent/agent-json-schema.js';
export { Reloaded } from './reload/reloaded.js';
