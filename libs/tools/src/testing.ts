export { InlineToolBench, buildPhaseState } from './tool-contexts.fixture.js';
