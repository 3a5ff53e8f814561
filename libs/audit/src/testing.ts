export { AuditedLog, formatProblem } from './testing/audited-log.fixture.js';
