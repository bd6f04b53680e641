package oplog

import (
	"encoding/binary"
	"time"
)

// stampLen is the length of "2006-01-02T15:04:05.123456789Z".
const stampLen = 30

// A stampParser parses the writer's timestamps. It remembers the last two
// seconds it met, because most rows begin and end within them.
type stampParser struct {
	recent [2]stampSecond
}

// stampSecond is the text "2006-01-02T15:04:05." as three words.
type stampSecond struct {
	a, b uint64
	c    uint32
	unix int64 // nanoseconds
}

// parse reads the stamp at the start of b, which holds at least stampLen
// bytes. It accepts the writer's form only.
func (p *stampParser) parse(b []byte) (int64, bool) {
	_ = b[stampLen-1]
	x, y := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	z := binary.LittleEndian.Uint32(b[16:])
	r := &p.recent[0]
	if r.a != x || r.b != y || r.c != z {
		if r = p.lookup(b, x, y, z); r == nil {
			return 0, false
		}
	}
	frac, ok := eightDigits(binary.LittleEndian.Uint64(b[20:]))
	last := b[28] - '0'
	if !ok || last > 9 || b[29] != 'Z' {
		return 0, false
	}
	return r.unix + int64(frac)*10 + int64(last), true
}

// lookup finds the second among the others or parses it.
func (p *stampParser) lookup(b []byte, x, y uint64, z uint32) *stampSecond {
	r := &p.recent[1]
	if r.a != x || r.b != y || r.c != z {
		if b[19] != '.' {
			return nil
		}
		unix, ok := civil(b[:secondLen])
		if !ok {
			return nil
		}
		*r = stampSecond{a: x, b: y, c: z, unix: unix * 1e9}
	}
	p.recent[0], p.recent[1] = p.recent[1], p.recent[0]
	return &p.recent[0]
}

// eightDigits returns the number that eight ASCII digits, loaded little
// endian, stand for.
func eightDigits(v uint64) (uint64, bool) {
	const high = 0x8080808080808080
	ok := ((v+0x4646464646464646)|(v-0x3030303030303030)|v)&high == 0
	v -= 0x3030303030303030
	v = v*10 + v>>8
	v = (v&0x000000ff000000ff*0x000f424000000064 + v>>16&0x000000ff000000ff*0x0000271000000001) >> 32
	return v, ok
}

// A timeParser parses RFC 3339 with any zone and any number of fraction
// digits. It remembers the last second it met.
type timeParser struct {
	text [secondLen]byte
	unix int64
}

// secondLen is the length of "2006-01-02T15:04:05".
const secondLen = 19

// parse returns Unix nanoseconds. What its own rules do not cover it leaves
// to package time.
func (p *timeParser) parse(b []byte) (int64, bool) {
	if ns, ok := p.parseRFC3339(b); ok {
		return ns, true
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil || t.Year() < minYear || t.Year() > maxYear {
		return 0, false
	}
	return t.UnixNano(), true
}

// The years whose every moment fits int64 nanoseconds.
const (
	minYear = 1679
	maxYear = 2260
)

func (p *timeParser) parseRFC3339(b []byte) (int64, bool) {
	if len(b) <= secondLen {
		return 0, false
	}
	if string(b[:secondLen]) != string(p.text[:]) {
		unix, ok := civil(b[:secondLen])
		if !ok {
			return 0, false
		}
		copy(p.text[:], b)
		p.unix = unix
	}
	frac, rest, ok := fraction(b[secondLen:])
	if !ok {
		return 0, false
	}
	zone, ok := zoneOffset(rest)
	return (p.unix-zone)*1e9 + frac, ok
}

// fraction parses ".123" and returns the rest.
func fraction(b []byte) (ns int64, rest []byte, ok bool) {
	if b[0] != '.' {
		return 0, b, true
	}
	i, scale := 1, int64(1e8)
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		ns += int64(b[i]-'0') * scale
		scale /= 10
	}
	return ns, b[i:], i > 1
}

func zoneOffset(b []byte) (seconds int64, ok bool) {
	if len(b) == 1 && b[0] == 'Z' {
		return 0, true
	}
	if len(b) != 6 || b[3] != ':' || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	h, m := twoDigits(b[1:]), twoDigits(b[4:])
	if h > 23 || m > 59 {
		return 0, false
	}
	seconds = int64(h)*3600 + int64(m)*60
	if b[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// twoDigits returns a huge number where there are no two digits.
func twoDigits(b []byte) uint {
	hi, lo := uint(b[0]-'0'), uint(b[1]-'0')
	if hi > 9 || lo > 9 {
		return 1 << 16
	}
	return hi*10 + lo
}

// civil parses "2006-01-02T15:04:05" into Unix seconds.
func civil(b []byte) (int64, bool) {
	if b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	year := twoDigits(b)*100 + twoDigits(b[2:])
	month, day := twoDigits(b[5:]), twoDigits(b[8:])
	hour, minute, second := twoDigits(b[11:]), twoDigits(b[14:]), twoDigits(b[17:])
	if year < minYear || year > maxYear || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return daysSince1970(int64(year), int64(month), int64(day))*86400 +
		int64(hour)*3600 + int64(minute)*60 + int64(second), true
}

func daysIn(year, month uint) uint {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysSince1970 counts days in the Gregorian calendar. Years begin in March,
// so that the leap day is the last.
func daysSince1970(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 719469
}
