#include "textflag.h"

// func differences(a, b *[chunk]byte) uint64
//
// SSE2 only, which every amd64 has.
TEXT ·differences(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVOU (DI), X4
	MOVOU 16(DI), X5
	MOVOU 32(DI), X6
	MOVOU 48(DI), X7
	PCMPEQB X4, X0
	PCMPEQB X5, X1
	PCMPEQB X6, X2
	PCMPEQB X7, X3
	PMOVMSKB X0, AX
	PMOVMSKB X1, BX
	PMOVMSKB X2, CX
	PMOVMSKB X3, DX
	SHLQ $16, BX
	SHLQ $32, CX
	SHLQ $48, DX
	ORQ BX, AX
	ORQ DX, CX
	ORQ CX, AX
	NOTQ AX
	MOVQ AX, ret+16(FP)
	RET
