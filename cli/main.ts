#!/usr/bin/env node
import { runCommand } from "../shared/command/run-command.ts";
import { runProgram } from "./program.ts";

await runCommand(() => runProgram(process.argv.slice(2)));
