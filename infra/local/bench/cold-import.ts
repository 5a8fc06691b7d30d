/** Imports the module that the argument names in this fresh process, and prints the microseconds of processor time. */
const [, , url = ''] = process.argv;
const before = process.cpuUsage();
await import(url);
const { user, system } = process.cpuUsage(before);
process.stdout.write(String(user + system), () => process.exit(0));
