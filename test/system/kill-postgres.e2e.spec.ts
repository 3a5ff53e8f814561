import { killSuite } from './kill-suite.js';

killSuite('postgres');
