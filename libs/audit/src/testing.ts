export { AuditedLog, inShort } from './testing/audited-log.fixture.js';
