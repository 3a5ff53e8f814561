export { appendTo, cutConnections, eventually, freshStream, useTestDatabase } from './testing/store.fixture.js';
