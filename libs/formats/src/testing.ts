export { makeCraneHandbook } from './fixtures/handbook.fixture.js';
export { makeLastenheft } from './fixtures/lastenheft.fixture.js';
export { makePdf } from './fixtures/pdf.fixture.js';
