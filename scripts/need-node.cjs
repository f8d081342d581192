'use strict';
/*
 * node scripts/need-node.cjs <file> [arguments...]
 * Runs <file> on Node 24 or newer: in this process when it is new enough, else in a child on the Node that `npm install` brings.
 * Plain old JavaScript (Node 12 reads it), so that an old Node gets as far as the message.
 */
var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');

var RUNS_ON = 24;
var QUIET = '--disable-warning=ExperimentalWarning';

function major(version) {
  return parseInt(String(version).replace(/^v/, ''), 10) || 0;
}

/** The folders node_modules at and above this file, nearest first: npm installs into any of them. */
function moduleFolders() {
  return module.paths.filter(function (folder) {
    return fs.existsSync(folder);
  });
}

/** Paths where the `node` package puts its executable, on Windows too (its shim there cannot be started without a shell). */
function candidates() {
  return moduleFolders().reduce(function (found, modules) {
    return found.concat([
      path.join(modules, 'node', 'bin', 'node'),
      path.join(modules, 'node', 'bin', 'node.exe'),
      path.join(modules, '.bin', 'node'),
      path.join(modules, '.bin', 'node.exe'),
    ]);
  }, []);
}

/** True if this file starts on this machine and is new enough. */
function usable(file) {
  if (!fs.existsSync(file)) return false;
  var asked = childProcess.spawnSync(file, ['--version'], { encoding: 'utf8' });
  return asked.status === 0 && major(asked.stdout) >= RUNS_ON;
}

function complain(line) {
  process.stderr.write(line + '\n');
  process.exit(1);
}

/** Inkgraph uses experimental parts of Node on purpose. Other warnings are shown. */
function dropExperimentalWarnings() {
  var emit = process.emitWarning;
  process.emitWarning = function (warning, options) {
    var type = options && typeof options === 'object' ? options.type : options;
    if (type === 'ExperimentalWarning' || (warning && warning.name === 'ExperimentalWarning')) return;
    emit.apply(process, arguments);
  };
}

/** Caches compiled code, with types stripped, beside the packages: the start takes half the time and a fifth less memory. */
function keepCompiledCode() {
  // oxlint-disable-next-line typescript/prefer-nullish-coalescing -- old Nodes read this file
  var modules = moduleFolders()[0] || path.join(__dirname, '..', 'node_modules');
  var folder = path.join(modules, '.cache', 'compiled');
  // Worker threads read the variable.
  // oxlint-disable-next-line typescript/prefer-nullish-coalescing -- old Nodes read this file
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || folder;
  require('module').enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/** npm passes SIGTERM on to its shell only, which ends and leaves this process behind: end with the shell. No event tells of it. */
function endWithNpm(end) {
  if (!process.env.npm_lifecycle_event) return;
  var parent = process.ppid;
  var timer = setInterval(function () {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, 500);
  timer.unref();
}

/**
 * Lets glibc give memory back, as other systems do anyway: two areas instead of one for each thread, and a mapping of its own, which ends
 * when it is freed, for everything of 128 KiB and more. Without the last two glibc raises these limits with what it once gave out.
 */
function boundMemory() {
  var limits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
  Object.keys(limits).forEach(function (name) {
    // oxlint-disable-next-line typescript/prefer-nullish-coalescing -- old Nodes read this file
    process.env[name] = process.env[name] || limits[name];
  });
}

function runHere(file, args) {
  endWithNpm(function () {
    process.kill(process.pid, 'SIGTERM');
  });
  keepCompiledCode();
  dropExperimentalWarnings();
  process.argv = [process.argv[0], path.resolve(file)].concat(args);
  require('module').runMain();
}

/** A terminal sends Ctrl-C to parent and child. Forwarding it would send it twice. */
function passOn(child, signal) {
  process.on(signal, function () {
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  });
}

function runThere(node, file, args) {
  var child = childProcess.spawn(node, process.execArgv.concat([QUIET, file], args), { stdio: 'inherit' });
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
    passOn(child, signal);
  });
  endWithNpm(function () {
    child.kill('SIGTERM');
  });
  child.on('error', function (error) {
    complain(node + ' does not start (' + error.message + '). Run: npm install');
  });
  child.on('exit', function (code, signal) {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function main() {
  var file = process.argv[2];
  var args = process.argv.slice(3);
  if (!file) return complain('Usage: node scripts/need-node.cjs <file> [arguments...]');
  boundMemory();
  if (major(process.versions.node) >= RUNS_ON) return runHere(file, args);
  var node = candidates().find(usable);
  if (node) return runThere(node, file, args);
  complain(
    'Inkgraph runs on Node ' +
      RUNS_ON +
      ' or newer, and this is ' +
      process.version +
      '. Run: npm install (it brings one, for this folder only)',
  );
}

main();
