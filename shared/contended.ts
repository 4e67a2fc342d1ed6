/**
 * What was read changed while it was read, or another run has the floor: another look is called for. Thrown by a look
 * or a command, it counts as a conflict of a write does. The message is a whole sentence.
 */
export class Contended extends Error {
  override readonly name = "Contended";
}
