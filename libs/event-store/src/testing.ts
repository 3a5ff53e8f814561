export { appendTo, cutConnections, waitUntil, createStreamId, useTestDatabase } from './testing/store.fixture.js';
