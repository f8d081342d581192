#!/usr/bin/env node
'use strict';
/* `npx inkgraph ...`: the command, on the Node that it needs. */
process.argv.splice(2, 0, require('path').join(__dirname, 'inkgraph', 'main.ts'));
require('./need-node.cjs');
