export { createLearningTracesProjection } from './traces/learning-traces-projection.js';
