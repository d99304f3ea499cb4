/** Whether a machine only runs a hub, which needs no hooks. One that hands messages to a hub has channels of it. */
export function isHubMachine(hasHub: boolean, channelTypes: readonly string[]): boolean {
  return hasHub && !channelTypes.includes('hub')
}
