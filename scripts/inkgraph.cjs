#!/usr/bin/env node
'use strict';
/* `npx inkgraph ...`: the command, on the Node that it needs. */
var main = require('path').join(__dirname, 'inkgraph', 'main');
// The repository holds TypeScript, the package JavaScript.
process.argv.splice(2, 0, main + (require('fs').existsSync(main + '.js') ? '.js' : '.ts'));
require('./need-node.cjs');
