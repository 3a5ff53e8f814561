import { repositorySuite } from './repository-suite.js';

repositorySuite('unshare');
