export type { Pattern } from './patterns/extract-patterns.js';
export { Patterns } from './patterns/patterns.js';
export { PromotionRefused, TracePromotions } from './promotion/trace-promotions.js';
export { Precedents } from './precedents/precedents.js';
export { AgentTraces } from './traces/agent-traces.js';
export { LearningTraces } from './traces/learning-traces.js';
export { createLearningTracesProjection } from './traces/learning-traces-projection.js';
export { LearningReports } from './report/learning-report.js';
